import type { ClientSession, Filter } from 'mongodb';
import type { EntityType } from '../domain/entity-types';
import type { Store } from './connect';
import { type PageRecord, records, type RecordDocument } from './records';
import { isSelected, type Selection } from './selection';

/** Positions above `after`, up to and including `upTo`. */
export interface Window {
  after: number;
  upTo: number;
}

// Above this many accounts a filter by account would make a large request and a slow plan (performance); what is read is
// then filtered here, a chunk at a time.
const FEW_ACCOUNTS = 100;
const CHUNK = 2_000;

interface PageQuery {
  window: Window;
  selection: Selection;
  limit: number;
  session: ClientSession;
}

/** The next records of a window, in position order. `end`: the position up to which there are no others. */
export interface Page {
  records: PageRecord[];
  end: number;
}

// A page of more would be refused as a push, and very many large records would end the worker for everybody.
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The next page of a window: `limit` records, or fewer where the window ends or their bytes are too many; at least one.
 * @param span how many positions a page is expected to take. The window is read by such pieces, growing where there are
 * gaps, because some servers walk a whole range before they take the first of it.
 */
export async function readPageRecords(
  store: Store,
  type: EntityType,
  { window, span, ...query }: PageQuery & { span: number },
): Promise<Page> {
  const { selection, limit } = query;
  const page: PageRecord[] = [];
  if (selection.shared?.size === 0) return { records: page, end: window.upTo };
  let bytes = 0;
  for (let { after } = window; after < window.upTo;) {
    const upTo = Math.min(window.upTo, after + span);
    const wanted = isLarge(selection) ? CHUNK : limit - page.length;
    let found = 0;
    for await (const batch of readRange(store, type, { ...query, window: { after, upTo }, limit: wanted })) {
      found += batch.length;
      for (const record of batch) {
        after = record.position;
        if (!isSelected(selection, record)) continue;
        bytes += record.wire.length;
        if (bytes > MOST_BYTES && page.length > 0) return { records: page, end: page.at(-1)!.position };
        page.push(record);
        if (page.length === limit) return { records: page, end: after };
      }
    }
    if (found < wanted) [after, span] = [upTo, span * 4];
  }
  return { records: page, end: window.upTo };
}

// No hints: under one, both stand-ins of MongoDB walk the whole index; mongod needs none where the sort fits one index.
// By the batches in which the server sends them (at most 16 MB each), so that no more is held than a page needs.
async function* readRange(store: Store, type: EntityType, query: PageQuery): AsyncGenerator<PageRecord[]> {
  const { selection, limit, session } = query;
  const projection = { position: 1, updated_at: 1, wire: 1, ...(selection.shared ? { account_ids: 1 } : {}) };
  const cursor = records(store, type)
    .find<PageRecord>(inWindow(query.window, selection), { projection, session })
    .sort(sortOf(selection))
    .limit(limit)
    .batchSize(limit);
  try {
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments();
  } finally {
    await cursor.close();
  }
}

/** How many records a window holds for a channel. */
export async function countWindow(
  store: Store,
  type: EntityType,
  window: Window,
  selection: Selection,
  session?: ClientSession,
): Promise<number> {
  if (window.upTo <= window.after || selection.shared?.size === 0) return 0;
  const filter = inWindow(window, selection);
  const options = session ? { session } : {};
  if (!isLarge(selection)) return records(store, type).countDocuments(filter, options);
  let count = 0;
  const scan = records(store, type).find(filter, {
    ...options,
    projection: { account_ids: 1 },
    batchSize: CHUNK,
  });
  for await (const record of scan) if (isSelected(selection, record)) count += 1;
  return count;
}

const isLarge = ({ shared }: Selection) => shared !== undefined && shared.size > FEW_ACCOUNTS;

function inWindow(window: Window, selection: Selection): Filter<RecordDocument> {
  const { companies, shared } = selection;
  const filter: Filter<RecordDocument> = { position: { $gt: window.after, $lte: window.upTo } };
  if (companies.length > 0) filter.company_id = companies.length === 1 ? companies[0]! : { $in: companies };
  if (shared && !isLarge(selection))
    filter.account_ids = shared.size === 1 ? [...shared][0]! : { $in: [...shared] };
  return filter;
}

// The same order in every case; one account or one company stands in front of it in an index of its own.
function sortOf({ companies, shared }: Selection): Record<string, 1> {
  if (shared?.size === 1) return { position: 1 };
  return companies.length === 1 ? { company_id: 1, position: 1 } : { position: 1 };
}
