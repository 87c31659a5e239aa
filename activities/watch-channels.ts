import { isStale, staleMessage } from '../domain/freshness';
import { type Alert, listAlerts, raiseAlert, resolveAlert } from '../store/alerts/alerts';
import { freshest } from '../store/deliveries/channel-health';
import type { Channel } from '../store/channels/channels';
import type { Store } from '../store/store';
import { lastConfirmed } from '../store/markers/last-confirmed';
import { remindAfterADay } from './remind-after-a-day';
import { watchCodes } from './watch-codes';

/**
 * Finds, for one page of channels, what no delivery can report: that a channel has none, that codes of its links are
 * abused, or that an alert is a day old. The reconciler calls it, as a channel's own workflow may be stuck (docs/contract.md O6).
 */
export async function watchChannels(store: Store, channels: Channel[], now: Date): Promise<void> {
  const open = await listAlerts(store, { channels });
  await watchCodes(store, channels, open, now);
  const confirmed = await lastConfirmed(store, channels);
  for (const channel of channels) {
    const alerts = open.filter((alert) => alert.channel === channel._id);
    await watchFreshness(store, channel, freshest(channel, confirmed.get(channel._id) ?? null), alerts, now);
    if (channel.state === 'paused') continue; // the notice of its pause was the last
    for (const alert of alerts) await remindAfterADay(store, alert, now);
  }
}

async function watchFreshness(
  store: Store,
  channel: Channel,
  fresh: Date,
  alerts: Alert[],
  now: Date,
): Promise<void> {
  const stale = alerts.find((alert) => alert.class === 'stale');
  const { _id: slug, name, cadence_ms, state } = channel;
  if (state === 'paused') {
    if (stale) await resolveAlert(store, stale._id, `${name} is paused: it is not watched`, now);
    return;
  }
  if (isStale(fresh, cadence_ms, now)) {
    const message = staleMessage(channel, fresh);
    await raiseAlert(store, { channel: slug, class: 'stale', subject: undefined, message }, now);
  } else if (stale) {
    await resolveAlert(store, stale._id, `${name} is fresh again`, now);
  }
}
