import type { EntityType } from '../domain/entity-types';
import type { Store } from './connect';
import { seeNewest } from './counters';

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

/** What one page is made of. */
export type PageRecord = Pick<RecordDocument, '_id' | 'position' | 'updated_at' | 'wire' | 'account_ids'>;

export const records = (store: Store, type: EntityType) => store.db.collection<RecordDocument>(type);

export const recordIndexes = (type: EntityType) => [
  { name: 'position', key: { position: 1 }, unique: true },
  { name: 'company_position', key: { company_id: 1, position: 1 } },
  { name: 'account_position', key: { account_ids: 1, position: 1 } },
  { name: 'updated_position', key: { updated_at: 1, position: 1 } },
  ...(type === 'accounts' ? [{ name: 'phones', key: { phones: 1 } }] : []),
];

/**
 * The position just below the first record changed at or after `since`; undefined when there is none.
 * The times rise with the positions, so everything above it is at or after `since` too (commit-order 3).
 */
export async function floorOf(store: Store, type: EntityType, since: Date): Promise<number | undefined> {
  const first = await store.client.withSession({ causalConsistency: true }, async (session) => {
    await seeNewest(store, session);
    return records(store, type).findOne(
      { updated_at: { $gte: since } },
      { projection: { position: 1 }, sort: { updated_at: 1, position: 1 }, session },
    );
  });
  return first ? first.position - 1 : undefined;
}

/** When the newest record at or below `position` changed; null when there is none. */
export async function changeTimeAt(store: Store, type: EntityType, position: number): Promise<Date | null> {
  const record = await records(store, type).findOne(
    { position: { $lte: position } },
    { projection: { updated_at: 1 }, sort: { position: -1 } },
  );
  return record?.updated_at ?? null;
}

export async function findRecord(store: Store, type: EntityType, id: string): Promise<RecordDocument | null> {
  return records(store, type).findOne({ _id: id });
}
