import type { Store } from '../../store/store';
import { readCeilings } from '../../store/records/counters';
import { subscriptions } from '../../store/consent/subscriptions';
import { eventually } from '../setup/eventually';
import { TYPES } from './share-acts';

const SETTLE_MS = 120_000;

/** Waits until all that was pushed and granted before is delivered: markers are there, and no catch-up is left. */
export async function untilSettled(store: Store, channel: string): Promise<void> {
  const ceilings = await readCeilings(store);
  const markers = store.db.collection<{ entity_type: (typeof TYPES)[number]; position: number }>('markers');
  await eventually(async () => {
    // First what is to begin: a plan that begins it between the two has left a catch-up among the markers.
    const toBegin = await subscriptions(store).countDocuments({ channel, 'to_begin.0': { $exists: true } });
    const begun = await markers.find({ channel }).toArray();
    const behind = begun.filter(({ entity_type, position }) => position < ceilings[entity_type]);
    if (begun.length !== TYPES.length || behind.length > 0 || toBegin > 0)
      throw new Error(`${channel} is not settled: ${toBegin} to begin, ${JSON.stringify(begun)}`);
  }, SETTLE_MS);
}
