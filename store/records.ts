import type { ClientSession, Filter } from 'mongodb';
import type { EntityType } from '../domain/entity-types';
import type { Store } from './connect';

/** One stored entity. `wire` is its finished JSON as the feed sends it, rendered once, in the push (design 5). */
export interface RecordDocument {
  /** `<company_id>-<remote_id>` */
  _id: string;
  company_id: string;
  account_ids: string[];
  position: number;
  updated_at: Date;
  created_at: Date;
  deleted_at: Date | null;
  hash: Buffer;
  wire: Buffer;
  render_version: number;
  phones?: string[];
}

export const RENDER_VERSION = 1;

/** Positions above `after`, up to and including `upTo`. */
export interface Window {
  after: number;
  upTo: number;
}

/** What one page is made of. */
export type PageRecord = Pick<RecordDocument, '_id' | 'position' | 'updated_at' | 'wire'>;

export const records = (store: Store, type: EntityType) => store.db.collection<RecordDocument>(type);

export const recordIndexes = (type: EntityType) => [
  { name: 'position', key: { position: 1 }, unique: true },
  { name: 'company_position', key: { company_id: 1, position: 1 } },
  { name: 'account_position', key: { account_ids: 1, position: 1 } },
  { name: 'updated_position', key: { updated_at: 1, position: 1 } },
  ...(type === 'accounts' ? [{ name: 'phones', key: { phones: 1 } }] : []),
];

/** One index range of positions, in position order. No companies named means every company (contract 8). */
export async function readPageRecords(
  store: Store,
  type: EntityType,
  options: { window: Window; companies: string[]; limit: number; session: ClientSession },
): Promise<PageRecord[]> {
  return records(store, type)
    .find<PageRecord>(inWindow(options.window, options.companies), {
      projection: { position: 1, updated_at: 1, wire: 1 },
      hint: windowIndex(options.companies),
      session: options.session,
    })
    .sort({ position: 1 })
    .limit(options.limit)
    .batchSize(options.limit)
    .toArray();
}

export async function countWindow(
  store: Store,
  type: EntityType,
  window: Window,
  companies: string[],
): Promise<number> {
  if (window.upTo <= window.after) return 0;
  return records(store, type).countDocuments(inWindow(window, companies), { hint: windowIndex(companies) });
}

/**
 * The position just below the first record changed at or after `since`; undefined when there is none.
 * The times rise with the positions, so everything above it is at or after `since` too (commit-order 3).
 */
export async function floorOf(store: Store, type: EntityType, since: Date): Promise<number | undefined> {
  const first = await records(store, type).findOne(
    { updated_at: { $gte: since } },
    { projection: { position: 1 }, sort: { updated_at: 1, position: 1 }, hint: 'updated_position' },
  );
  return first ? first.position - 1 : undefined;
}

/** When the newest record at or below `position` changed; null when there is none. */
export async function changeTimeAt(store: Store, type: EntityType, position: number): Promise<Date | null> {
  const record = await records(store, type).findOne(
    { position: { $lte: position } },
    { projection: { updated_at: 1 }, sort: { position: -1 }, hint: 'position' },
  );
  return record?.updated_at ?? null;
}

export async function findRecord(store: Store, type: EntityType, id: string): Promise<RecordDocument | null> {
  return records(store, type).findOne({ _id: id });
}

function inWindow(window: Window, companies: string[]): Filter<RecordDocument> {
  const position = { $gt: window.after, $lte: window.upTo };
  if (companies.length === 0) return { position };
  if (companies.length === 1) return { company_id: companies[0] as string, position };
  return { company_id: { $in: companies }, position };
}

// Without the hint a planner may choose a collection scan or a sort (toolchain). Several companies walk the
// positions and filter, because an `$in` in front of the sort key would sort in memory.
function windowIndex(companies: string[]): string {
  return companies.length === 1 ? 'company_position' : 'position';
}
