import type { ClientSession, Filter, FindCursor } from 'mongodb';
import { addTo } from '../../domain/records/add-to';
import type { EntityType } from '../../domain/records/entity-types';
import { mergePositions } from '../../domain/records/merge-positions';
import { batchesOf, ofCompanies, type RecordDocument, records } from '../records/records';
import type { Window } from './pieces';
import type { Store } from '../store';
import type { Selection } from './selection';

/** The session of a read, and the signal that aborts it. */
export interface ReadOptions {
  session?: ClientSession | undefined;
  signal?: AbortSignal | undefined;
}

// Longer `$in` lists are sorted in memory for every query instead of being merged from an index
// (docs/decisions/0014).
export const MAX_IN_LIST = 200;
const BATCH = 20_000;

/**
 * The positions of a channel's records in a window, in order, the first `most` of them. Reads index keys only, so
 * that the cost depends on what is found and not on what else changed.
 */
export async function seekPositions(
  store: Store,
  type: EntityType,
  { after, upTo }: Window,
  selection: Selection,
  { most, ...options }: ReadOptions & { most: number },
): Promise<number[]> {
  let found: number[] = [];
  for (const { from, ...seek } of seeksOf(selection, after)) {
    const window = { after: Math.max(after, from), upTo };
    if (window.after >= upTo) continue;
    const { filter } = seek;
    const more = await readPositions(store, type, { ...filter, ...within(window) }, { most, ...options });
    found = mergePositions(found, more, most);
    if (found.length === most) upTo = found.at(-1)!;
  }
  return found;
}

async function readPositions(
  store: Store,
  type: EntityType,
  filter: Filter<RecordDocument>,
  { most, ...options }: ReadOptions & { most: number },
): Promise<number[]> {
  const cursor = records(store, type)
    .find<{ position: number }>(filter, { ...definedOptions(options), projection: { _id: 0, position: 1 } })
    .sort({ position: 1 })
    .limit(most)
    .batchSize(Math.min(most, BATCH));
  const positions: number[] = [];
  for await (const { position } of cursor) positions.push(position);
  return positions;
}

/** What a cursor finds, in the server's own batches. Closes the cursor at the end. */
export async function* readBatches<T>(cursor: FindCursor<T>): AsyncGenerator<T[]> {
  try {
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments();
  } finally {
    await cursor.close();
  }
}

export const within = ({ after, upTo }: Window): Filter<RecordDocument> => ({
  position: { $gt: after, $lte: upTo },
});

/** Without undefined values, which the driver does not accept. */
export const definedOptions = ({ session, signal }: ReadOptions) => ({
  ...(session && { session }),
  ...(signal && { signal }),
});

/** One filter per index range that holds only the channel's records. */
export const rangesOf = ({ companies }: Selection): Filter<RecordDocument>[] =>
  companies.length === 0 ? [{}] : companies.map((company_id) => ({ company_id }));

interface Seek {
  filter: Filter<RecordDocument>;
  /** What lies up to here is not sought. */
  from: number;
}

/**
 * One filter per index range that holds only the records of shared accounts, or of the channel's companies. Accounts whose earlier
 * records are not shared are sought apart, while `after` lies below the beginning of one of them.
 */
export function seeksOf(selection: Selection, after: number): Seek[] {
  const { shared } = selection;
  if (!shared) return rangesOf(selection).map((filter) => ({ filter, from: 0 }));
  const companies = ofCompanies(selection);
  return [...byBeginning(shared, selection.from, after)].flatMap(([from, list]) =>
    [...batchesOf(list, MAX_IN_LIST)].flatMap((accounts) => [
      { filter: { account_ids: { $in: accounts }, ...companies }, from },
      { filter: { left_account_ids: { $in: accounts }, ...companies }, from },
    ]),
  );
}

function byBeginning(
  shared: ReadonlySet<string>,
  from: Selection['from'],
  after: number,
): Map<number, string[]> {
  if (!from || from.size === 0) return new Map([[0, [...shared]]]);
  const groups = new Map<number, string[]>();
  for (const account of shared) {
    const begins = from.get(account) ?? 0;
    const group = begins > after ? begins : 0;
    addTo(groups, group, account);
  }
  return groups;
}
