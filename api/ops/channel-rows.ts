import { channelWorkflowId } from '../../workflows/messages';
import { listAlerts, type Alert } from '../../store/alerts';
import { listChannels, type Channel } from '../../store/channels';
import type { Store } from '../../store/connect';
import { dueAt } from '../../store/due-at';
import { lastConfirmed } from '../../store/last-confirmed';
import { listWaiting, type Waiting } from '../../store/list-waiting';
import { byUrgency, healthOf, type ChannelHealth } from './channel-health';

/** One line of the list of channels. */
export interface ChannelRow extends ChannelHealth {
  slug: string;
  channel: Channel;
  alerts: Alert[];
  deliveredAt: Date | null;
  /** Records that the customer has not confirmed, and since when the oldest waits. */
  pending: number;
  waitingSince: Date | null;
  due: Date | null;
  workflow: string;
}

export async function readChannelRows(store: Store, now: Date): Promise<ChannelRow[]> {
  const channels = await listChannels(store);
  const [alerts, confirmed, waiting] = await Promise.all([
    listAlerts(store),
    lastConfirmed(store),
    listWaiting(store, channels),
  ]);
  return byUrgency(
    channels.map((channel): ChannelRow => {
      const { _id: slug } = channel;
      const own = alerts.filter((alert) => alert.channel === slug);
      const deliveredAt = confirmed.get(slug) ?? null;
      return {
        ...{ slug, channel, alerts: own, deliveredAt, due: dueAt(channel, now.getTime()) },
        ...healthOf(channel, own, deliveredAt, now),
        ...sumOf(waiting.filter((one) => one.channel === slug)),
        workflow: channelWorkflowId(slug),
      };
    }),
  );
}

/** What a channel's entity types come to together. */
export function sumOf(waiting: Waiting[]): Pick<ChannelRow, 'pending' | 'waitingSince'> {
  const since = waiting.flatMap((one) => one.since ?? []).map((date) => date.getTime());
  return {
    pending: waiting.reduce((sum, { records }) => sum + records, 0),
    waitingSince: since.length > 0 ? new Date(Math.min(...since)) : null,
  };
}
