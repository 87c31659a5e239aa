import { isStale, staleMessage } from '../domain/freshness';
import { addNotice, type Alert, listAlerts, raiseAlert, resolveAlert } from '../store/alerts';
import { freshest } from '../store/channel-trouble';
import type { Channel } from '../store/channels';
import type { Store } from '../store/connect';
import { lastConfirmed } from '../store/last-confirmed';

const DAY_MS = 24 * 3_600_000;

/**
 * What no delivery's end can tell: that a channel has none, that an alert is a day old. By the reconciler, as a channel's
 * own workflow may be what is stuck (delivery, "Answers").
 */
export async function watchChannels(store: Store, channels: Channel[], now: Date): Promise<void> {
  const open = await listAlerts(store);
  const confirmed = await lastConfirmed(store);
  for (const channel of channels) {
    const alerts = open.filter((alert) => alert.channel === channel._id);
    await watchFreshness(store, channel, freshest(channel, confirmed.get(channel._id) ?? null), alerts, now);
    if (channel.state === 'paused') continue; // its pause was the last word
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

async function remindAfterADay(store: Store, { _id, opened_at, message }: Alert, now: Date): Promise<void> {
  if (now.getTime() - opened_at.getTime() < DAY_MS) return;
  await addNotice(store, _id, { key: 'day', kind: 'day', message: `For 24 hours: ${message}`, at: now });
}
