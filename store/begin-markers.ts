import type { EntityType } from '../domain/entity-types';
import type { Store } from './connect';
import { markerId, startMarker, type Marker } from './markers';

/**
 * Where a channel about to be added begins. Called before the channel is there, so that no run can plan from
 * anywhere else; what an earlier try to add it left behind gives way, a marker in use (an epoch was taken) does not.
 */
export async function beginMarkers(
  store: Store,
  channel: string,
  positions: ReadonlyMap<EntityType, number>,
): Promise<void> {
  const markers = store.db.collection<Marker>('markers');
  for (const [type, position] of positions) {
    await markers.updateOne({ _id: markerId(channel, type), epoch: 0 }, { $set: { position } });
    await startMarker(store, channel, type, position);
  }
}
