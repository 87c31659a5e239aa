import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import { readCeilings } from '../records/counters';
import { records } from '../records/records';
import type { Store } from '../store';
import { StoreMismatch } from '../store-mismatch';
import { changeTimeAt } from '../window/change-times';

/** A counter and the highest position found elsewhere in the store. */
interface KnownPosition {
  entity_type: EntityType;
  counter: number;
  highest: number;
}

/**
 * Per entity type, the counter and the highest position of a marker, a catch-up's end or a record. A counter below
 * that would hand out positions that markers have passed, and such records would never be delivered
 * (docs/architecture.md#commit-order, rule 1).
 */
export async function knownPositions(store: Store): Promise<KnownPosition[]> {
  // The counters are read last: concurrent pushes can only raise them above what was read before.
  const marked = await highestMarkers(store);
  const stored = new Map<EntityType, number>();
  for (const type of ENTITY_TYPES) {
    const newest = await records(store, type)
      .find({}, { projection: { position: 1 } })
      .sort({ position: -1 })
      .limit(1)
      .next();
    stored.set(type, newest?.position ?? 0);
  }
  const counters = await readCeilings(store);
  return ENTITY_TYPES.map((type) => ({
    entity_type: type,
    counter: counters[type],
    highest: Math.max(marked.get(type) ?? 0, stored.get(type) ?? 0),
  }));
}

export const isBehind = ({ counter, highest }: KnownPosition) => counter < highest;

async function highestMarkers(store: Store): Promise<Map<EntityType, number>> {
  const highest = new Map<EntityType, number>();
  const markers = store.db.collection<{ entity_type: EntityType; position: number; until?: number }>(
    'markers',
  );
  const projection = { entity_type: 1, position: 1, until: 1 };
  for await (const { entity_type: type, position, until = 0 } of markers.find({}, { projection })) {
    highest.set(type, Math.max(highest.get(type) ?? 0, position, until));
  }
  return highest;
}

/**
 * A database restored from backups of different moments must not take pushes: a record below a marker is never
 * delivered.
 * @throws StoreMismatch
 */
export async function requireCountersAhead(store: Store): Promise<void> {
  const behind = (await knownPositions(store)).filter(isBehind);
  if (behind.length === 0) return;
  const list = behind.map(
    ({ entity_type, counter, highest }) => `${entity_type} at ${counter}, but ${highest} is known`,
  );
  throw new StoreMismatch(
    `counters are behind markers or records, as after restoring part of a backup (${list.join('; ')})`,
    'run `gdx repair counters` and follow docs/backup.md',
  );
}

/**
 * Raises every counter to the highest known position and the newest known change time, so that the next push is above
 * every marker and later than every record. Where a counter was behind, receipts are deleted: they may vouch for lost
 * records, and repeating a push with equal content is harmless (docs/contract.md E7).
 * @returns the counters as found, and how many receipts were deleted
 */
export async function raiseCounters(
  store: Store,
): Promise<{ counters: KnownPosition[]; receiptsForgotten: number }> {
  const counters = await knownPositions(store);
  for (const { entity_type: type, highest } of counters) {
    const at = (await changeTimeAt(store, type, highest)) ?? new Date(0);
    await store.db
      .collection<{ _id: EntityType; position: number; at: Date }>('counters')
      .updateOne({ _id: type }, { $max: { position: highest, at } }, { upsert: true });
  }
  if (!counters.some(isBehind)) return { counters, receiptsForgotten: 0 };
  const { deletedCount } = await store.db.collection('push_receipts').deleteMany({});
  return { counters, receiptsForgotten: deletedCount };
}
