import type { EntityType } from '../../domain/entity-types';
import type { Store } from '../store';
import { markerId, startMarker, type Marker } from './markers';

/**
 * Sets where a new channel begins. Called before the channel is inserted, so that no run plans from elsewhere.
 * Overwrites what a failed earlier try has left, but no marker in use (whose epoch was taken).
 */
export async function beginMarkers(
  store: Store,
  channel: string,
  positions: ReadonlyMap<EntityType, number>,
): Promise<void> {
  const markers = store.db.collection<Marker>('markers');
  for (const [type, position] of positions) {
    const unused = { _id: markerId(channel, type), epoch: 0 };
    await startMarker(store, channel, type, position);
    await markers.updateOne(unused, { $set: { position, began: position } });
  }
}
