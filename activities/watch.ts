import { isOurs } from '../domain/deliveries/alert-class';
import { tooManyCodes } from '../domain/deliveries/code-status';
import { count } from '../domain/records/count';
import {
  type ChannelCondition,
  channelCondition,
  type HealthStatus,
  staleAfter,
} from '../domain/deliveries/condition';
import { sayInterval } from '../domain/records/push-rhythm';
import { addNotice, type Alert, listAlerts, raiseAlert, resolveAlert } from '../store/alerts/alerts';
import type { Channel } from '../store/channels/channels';
import { readCodeActivity, SHARING_CODES } from '../store/codes/code-activity';
import { countSetAside } from '../store/deliveries/set-aside';
import { lastConfirmed } from '../store/markers/last-confirmed';
import { findSilent, type PushActivity } from '../store/push/push-activity';
import type { Store } from '../store/store';
import { DAY_MS, MINUTE_MS } from '../domain/time/spans';

/** For this long after its start a worker catches up on runs that are overdue, and no channel is called stale. */
const CATCHING_UP_MS = 10 * MINUTE_MS;

/**
 * Raises, for one page of channels, the alerts that no delivery raises: a stale channel, abused codes of its
 * links, and records that are set aside. Also adds a notice to each alert that is a day old. The reconciler
 * calls it, as a channel's own workflow may be stuck (docs/contract.md O6).
 * @param began when this worker started: it needs time for the runs that are overdue, so no channel counts as
 * stale at first
 */
export async function watchChannels(
  store: Store,
  channels: Channel[],
  now: Date,
  began = new Date(0),
): Promise<void> {
  const open = await listAlerts(store, { channels });
  const links = channels.map(({ _id, name }) => ({ _id, what: `Links of ${name}` }));
  await watchCodes(store, links, open, now);
  const confirmed = await lastConfirmed(store, channels);
  const refused = await countSetAside(store, channels);
  for (const channel of channels) {
    const alerts = open.filter((alert) => alert.channel === channel._id);
    await watchSetAside(store, channel, { records: refused.get(channel._id) ?? 0, alerts }, now);
    // Of a failure of ours its customer is told by `stale` alone.
    const theirs = alerts.filter(({ class: kind }) => !isOurs(kind));
    const known = { alerts: theirs, deliveredAt: confirmed.get(channel._id) ?? null };
    const waitMs = Math.min(staleAfter(channel.cadence_ms), CATCHING_UP_MS);
    const mayOpen = now.getTime() - began.getTime() > waitMs;
    await watchFreshness(store, channel, { ...channelCondition(channel, known, now), alerts, mayOpen }, now);
    if (channel.state === 'paused') continue; // the notice of its pause was the last
    for (const alert of alerts) await remindAfterADay(store, alert, now);
  }
}

/** Of a channel that fails the alert of its failure says why, and whom to call. */
async function watchFreshness(
  store: Store,
  { _id: slug, name }: Channel,
  { health, message, alerts, mayOpen }: ChannelCondition & { alerts: Alert[]; mayOpen: boolean },
  now: Date,
): Promise<void> {
  if (health === 'stale') {
    if (mayOpen) await raiseAlert(store, { channel: slug, class: 'stale', message: message! }, now);
    return;
  }
  const stale = alerts.find((alert) => alert.class === 'stale');
  if (!stale) return;
  const why: Partial<Record<HealthStatus, string>> = {
    paused: 'is paused: it is not watched',
    failing: message ? `fails: ${message}` : 'fails',
  };
  await resolveAlert(store, stale._id, `${name} ${why[health] ?? 'is fresh again'}`, now);
}

/** Alerts to records that the customer has refused one by one: nothing else fails because of them. */
async function watchSetAside(
  store: Store,
  { _id: slug, name }: Channel,
  { records, alerts }: { records: number; alerts: Alert[] },
  now: Date,
): Promise<void> {
  const alert = alerts.find((one) => one.class === 'set_aside');
  if (records > 0) {
    const message = `${name} has refused ${count(records, 'record')}, which ${records === 1 ? 'is' : 'are'} set aside: gdx set-aside ${slug} shows its answers`;
    await raiseAlert(store, { channel: slug, class: 'set_aside', message }, now);
  } else if (alert) await resolveAlert(store, alert._id, `Nothing of ${name} is set aside any more`, now);
}

/**
 * Alerts to codes of a channel's links, or of `/sharing`, that are requested or guessed far too often. Also
 * alerts to phones that a company lists for more names or accounts than one farmer has (docs/contract.md O6).
 */
export async function watchCodes(
  store: Store,
  sources: { _id: string; what: string }[],
  open: Alert[],
  now: Date,
): Promise<void> {
  const slugs = sources.map(({ _id }) => _id);
  const hours = await readCodeActivity(store, slugs, now);
  for (const { _id: slug, what } of sources) {
    const own = hours.filter(({ channel }) => channel === slug);
    const codes = own.flatMap(({ counts = {} }) => tooManyCodes(counts));
    const crowded = own.flatMap((hour) => hour.crowded ?? []).map(sayCrowded);
    for (const [kind, [found], usual] of [
      ['codes', codes, 'codes are as usual'],
      ['crowded', crowded, 'no phone with too many names or accounts for an hour'],
    ] as const) {
      const alert = open.find((one) => one.channel === slug && one.class === kind);
      if (found) {
        await raiseAlert(
          store,
          { channel: slug, class: kind, message: `${what}: ${found}${endedBy(kind, slug)}` },
          now,
        );
      } else if (alert) await resolveAlert(store, alert._id, `${what}: ${usual}`, now);
    }
  }
}

const endedBy = (kind: 'codes' | 'crowded', slug: string) =>
  kind === 'codes'
    ? `; gdx codes pause ${slug === SHARING_CODES ? '--sharing' : slug} sends and compares none there`
    : '';

const sayCrowded = (company: string) =>
  `company ${company} has a farmer’s phone on accounts of more than 25 names, or on more accounts than one farmer has, so the farmer is offered none of them: ask its ERP what that number is`;

/** The same for the page `/sharing`, which belongs to no channel. */
export async function watchSharingCodes(store: Store, now: Date): Promise<void> {
  const open = await listAlerts(store, { channel: SHARING_CODES });
  await watchCodes(store, [{ _id: SHARING_CODES, what: 'The page /sharing' }], open, now);
}

/** Alerts to integrations that have pushed nothing for twice their usual interval (docs/contract.md O24). */
export async function watchIntegrations(store: Store, now: Date): Promise<void> {
  const silent = await findSilent(store, now);
  for (const one of silent) {
    const { _id: integration, company } = one;
    const about = { channel: `integration/${integration}`, integration, ...(company && { company }) }; // no slug has a slash
    await raiseAlert(store, { ...about, class: 'silent', message: silentMessage(one) }, now);
  }
  const ids = new Set(silent.map(({ _id }) => _id));
  for (const alert of await listAlerts(store)) {
    if (alert.integration === undefined) continue;
    if (ids.has(alert.integration)) await remindAfterADay(store, alert, now);
    else await resolveAlert(store, alert._id, `No longer: ${alert.message}`, now);
  }
}

function silentMessage({ erp, last_at, usual_ms }: PushActivity): string {
  const since = last_at.toISOString().slice(0, 16).replace('T', ' ');
  return `${erp} has pushed nothing since ${since} UTC; at this time it usually leaves at most ${sayInterval(usual_ms ?? 0)}: does its export run? See gdx integration list`;
}

/** Adds a notice to an alert that has been open for a day, once. */
async function remindAfterADay(store: Store, { _id, opened_at, message }: Alert, now: Date): Promise<void> {
  if (now.getTime() - opened_at.getTime() < DAY_MS) return;
  await addNotice(store, _id, { key: 'day', kind: 'day', message: `For 24 hours: ${message}`, at: now });
}
