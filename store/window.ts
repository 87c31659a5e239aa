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

// Above this many accounts a filter by account would make a large request and a slow plan (performance); the window is
// then read in chunks and filtered here.
const FEW_ACCOUNTS = 100;
const CHUNK = 2_000;

/**
 * The next records of a window, in position order, by one index range. Fewer than `limit` means that the window holds
 * no more of them.
 */
export async function readPageRecords(
  store: Store,
  type: EntityType,
  options: { window: Window; selection: Selection; limit: number; session: ClientSession },
): Promise<PageRecord[]> {
  const { window, selection, limit, session } = options;
  if (window.upTo <= window.after || selection.shared?.size === 0) return [];
  if (!isLarge(selection)) return readRange(store, type, window, selection, limit, session);
  const page: PageRecord[] = [];
  for (let after = window.after; page.length < limit;) {
    const chunk = await readRange(store, type, { after, upTo: window.upTo }, selection, CHUNK, session);
    page.push(...chunk.filter((record) => isSelected(selection, record)));
    if (chunk.length < CHUNK) break;
    after = chunk.at(-1)?.position ?? window.upTo;
  }
  return page.slice(0, limit);
}

function readRange(
  store: Store,
  type: EntityType,
  window: Window,
  selection: Selection,
  limit: number,
  session: ClientSession,
): Promise<PageRecord[]> {
  return records(store, type)
    .find<PageRecord>(inWindow(window, selection), {
      projection: { position: 1, updated_at: 1, wire: 1, ...(selection.shared ? { account_ids: 1 } : {}) },
      hint: indexFor(selection),
      session,
    })
    .sort({ position: 1 })
    .limit(limit)
    .batchSize(limit)
    .toArray();
}

/** How many records a window holds for a channel. */
export async function countWindow(
  store: Store,
  type: EntityType,
  window: Window,
  selection: Selection,
): Promise<number> {
  if (window.upTo <= window.after || selection.shared?.size === 0) return 0;
  const [filter, hint] = [inWindow(window, selection), indexFor(selection)];
  if (!isLarge(selection)) return records(store, type).countDocuments(filter, { hint });
  let count = 0;
  const scan = records(store, type).find(filter, { projection: { account_ids: 1 }, hint, batchSize: CHUNK });
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

// Without the hint a planner may choose a collection scan or a sort (toolchain). An `$in` in front of the sort key would
// sort in memory, so several companies or accounts walk the positions and filter.
function indexFor({ companies, shared }: Selection): string {
  if (shared?.size === 1) return 'account_position';
  return companies.length === 1 ? 'company_position' : 'position';
}
