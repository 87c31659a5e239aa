import { byUrgency, type ChannelCondition, channelCondition } from '../../domain/deliveries/condition';
import { howLate, type HowLate } from '../../domain/deliveries/lateness';
import { type Alert, listAlerts } from '../../store/alerts/alerts';
import { type Channel, dueAt, listChannels } from '../../store/channels/channels';
import { lastConfirmed } from '../../store/markers/last-confirmed';
import { listBacklogs } from '../../store/markers/list-backlogs';
import type { Store } from '../../store/store';
import { channelWorkflowId } from '../../workflows/messages';
import { type Pending, sumOf } from '../channel/channel-view';

/** One row of the list of channels. */
export interface ChannelRow extends ChannelCondition, Pending {
  slug: string;
  channel: Channel;
  alerts: Alert[];
  deliveredAt: Date | null;
  due: Date | null;
  howLate: HowLate;
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
      const backlogs = waiting.filter((one) => one.channel === slug);
      return {
        slug,
        channel,
        alerts: own,
        deliveredAt,
        due: dueAt(channel, now.getTime()),
        ...channelCondition(channel, { alerts: own, deliveredAt }, now),
        ...sumOf(backlogs),
        howLate: howLate(backlogs, now),
        workflow: channelWorkflowId(slug),
      };
    }),
  );
}
