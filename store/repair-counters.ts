import type { EntityType } from '../domain/entity-types';
import type { Store } from './connect';
import { isBehind, type KnownPosition, knownPositions } from './known-positions';
import { changeTimeAt } from './records';

/**
 * Raises every counter to the highest position known, and its time to the newest change known, so that the next push is
 * above every marker and later than every record. Receipts are forgotten where a counter was behind: they may vouch for
 * records that are gone, and a push repeated with equal content changes nothing anyhow (contract 2).
 * @returns what was found before, and how many receipts were forgotten
 */
export async function repairCounters(
  store: Store,
): Promise<{ counters: KnownPosition[]; receiptsForgotten: number }> {
  const counters = await knownPositions(store);
  for (const { entity_type: type, highest } of counters) await raise(store, type, highest);
  if (!counters.some(isBehind)) return { counters, receiptsForgotten: 0 };
  const { deletedCount } = await store.db.collection('push_receipts').deleteMany({});
  return { counters, receiptsForgotten: deletedCount };
}

async function raise(store: Store, type: EntityType, highest: number): Promise<void> {
  const at = (await changeTimeAt(store, type, Number.MAX_SAFE_INTEGER)) ?? new Date(0);
  await store.db
    .collection<{ _id: EntityType; position: number; at: Date }>('counters')
    .updateOne({ _id: type }, { $max: { position: highest, at } }, { upsert: true });
}
