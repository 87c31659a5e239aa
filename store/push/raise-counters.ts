import type { EntityType } from '../../domain/entity-types';
import type { Store } from '../store';
import { isBehind, type KnownPosition, knownPositions } from '../feed/known-positions';
import { changeTimeAt } from '../feed/change-times';

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
  for (const { entity_type: type, highest } of counters) await raise(store, type, highest);
  if (!counters.some(isBehind)) return { counters, receiptsForgotten: 0 };
  const { deletedCount } = await store.db.collection('push_receipts').deleteMany({});
  return { counters, receiptsForgotten: deletedCount };
}

async function raise(store: Store, type: EntityType, highest: number): Promise<void> {
  const at = (await changeTimeAt(store, type, highest)) ?? new Date(0);
  await store.db
    .collection<{ _id: EntityType; position: number; at: Date }>('counters')
    .updateOne({ _id: type }, { $max: { position: highest, at } }, { upsert: true });
}
