import type { Store } from './connect';
import type { Marker } from './markers';

/** When each channel's customer has last confirmed a page; a channel that never had one is not in it. */
export async function lastConfirmed(store: Store): Promise<Map<string, Date>> {
  const last = new Map<string, Date>();
  const fields = { projection: { channel: 1, delivered_at: 1 } };
  const markers = store.db.collection<Marker>('markers').find({ delivered_at: { $ne: null } }, fields);
  for await (const { channel, delivered_at } of markers) {
    const known = last.get(channel);
    if (delivered_at && (!known || known < delivered_at)) last.set(channel, delivered_at);
  }
  return last;
}
