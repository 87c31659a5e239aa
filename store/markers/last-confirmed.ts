import { type Channel, slugRange } from '../channels/channels';
import type { Store } from '../store';
import { markers } from './markers';

/** When each channel's customer last confirmed a page; channels without one are left out. */
export async function lastConfirmed(
  store: Store,
  channels: Pick<Channel, '_id'>[],
): Promise<Map<string, Date>> {
  const last = new Map<string, Date>();
  const fields = { projection: { channel: 1, delivered_at: 1 } };
  const filter = { channel: slugRange(channels), delivered_at: { $ne: null } };
  const confirmed = markers(store).find(filter, fields);
  for await (const { channel, delivered_at } of confirmed) {
    const known = last.get(channel);
    if (delivered_at && (!known || known < delivered_at)) last.set(channel, delivered_at);
  }
  return last;
}
