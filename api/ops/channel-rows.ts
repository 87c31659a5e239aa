import { channelWorkflowId } from '../../workflows/messages';
import { listAlerts, type Alert } from '../../store/feed/alerts';
import { listChannels, type Channel } from '../../store/feed/channels';
import type { Store } from '../../store/store';
import { dueAt } from '../../store/feed/due-at';
import { lastConfirmed } from '../../store/feed/last-confirmed';
import { listBacklogs, type Backlog } from '../../store/feed/list-backlogs';
import { byUrgency, healthOf, type HealthSince } from '../pages/channel/channel-health';

/** One row of the list of channels. */
export interface ChannelRow extends HealthSince {
  slug: string;
  channel: Channel;
  alerts: Alert[];
  deliveredAt: Date | null;
  /** Unconfirmed records, and since when the oldest has been waiting. */
  pending: number;
  waitingSince: Date | null;
  due: Date | null;
  workflow: string;
}

export async function readChannelRows(store: Store, now: Date): Promise<ChannelRow[]> {
  const channels = await listChannels(store);
  const [alerts, confirmed, waiting] = await Promise.all([
    listAlerts(store),
    lastConfirmed(store, channels),
    listBacklogs(store, channels),
  ]);
  return byUrgency(
    channels.map((channel): ChannelRow => {
      const { _id: slug } = channel;
      const own = alerts.filter((alert) => alert.channel === slug);
      const deliveredAt = confirmed.get(slug) ?? null;
      return {
        slug,
        channel,
        alerts: own,
        deliveredAt,
        due: dueAt(channel, now.getTime()),
        ...healthOf(channel, own, deliveredAt, now),
        ...sumOf(waiting.filter((one) => one.channel === slug)),
        workflow: channelWorkflowId(slug),
      };
    }),
  );
}

/** The totals over a channel's entity types. */
export function sumOf(waiting: Backlog[]): Pick<ChannelRow, 'pending' | 'waitingSince'> {
  const since = waiting.flatMap((one) => one.since ?? []).map((date) => date.getTime());
  return {
    pending: waiting.reduce((sum, { records }) => sum + records, 0),
    waitingSince: since.length > 0 ? new Date(Math.min(...since)) : null,
  };
}
