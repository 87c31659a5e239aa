import { type AskedOf, partOf } from '../../control/list';
import { deliveriesList } from '../../control/list-deliveries';
import { OF_CUSTOMERS } from '../../control/record-action';
import { howLate, type HowLate } from '../../domain/deliveries/lateness';
import type { Lanes } from '../../domain/deliveries/lane';
import { type Alert, listAlerts } from '../../store/alerts/alerts';
import { type CustomerNotice, lastNotice } from '../../store/alerts/customer-notices';
import { listActions, type OperatorAction } from '../../store/callers/operator-actions';
import { type Channel, dueAt } from '../../store/channels/channels';
import { accountsById, type OfferedAccount } from '../../store/consent/offered-accounts';
import {
  countToDelete,
  listEnded,
  newestGranted,
  type Subscription,
} from '../../store/consent/subscriptions';
import { type CarriedCompany, listCarriedCompanies } from '../../store/digest/complete-through';
import { deliveriesSince, type DeliveryDocument } from '../../store/deliveries/deliveries';
import { listSetAside, type SetAside } from '../../store/deliveries/set-aside';
import { type Backlog, listBacklogs } from '../../store/markers/list-backlogs';
import { listChannelMarkers, type MarkerView } from '../../store/markers/list-channel-markers';
import { signedChannels } from '../../store/secrets/link-keys';
import type { Store } from '../../store/store';
import { type ChannelCondition, channelCondition } from '../../domain/deliveries/condition';
import type { Door } from './door';
import { TIMELINE_MS, timelineOf, type TimelineRow } from './timeline';
import type { PageDeps } from './signed-in-state';

/** The length of each list on a channel's page; `gdx` shows the rest. */
export const SHOWN = { deliveries: 25, bars: 1_000, setAside: 50, granted: 50, actions: 20 } as const;

type SharedAccount = Subscription & { known: OfferedAccount | undefined };

/** The data of a channel's page. */
export interface ChannelView {
  channel: Channel;
  /** Its message is for operators alone, and on no page. */
  health: Omit<ChannelCondition, 'message'>;
  alerts: Alert[];
  deliveredAt: Date | null;
  due: Date | null;
  markers: (MarkerView & Pick<Backlog, 'since'>)[];
  companies: CarriedCompany[];
  howLate: HowLate;
  /** The current state of each entity type. */
  lanes: Lanes;
  timeline: TimelineRow[];
  /** More deliveries exist than are drawn. */
  timelineCut: boolean;
  deliveries: DeliveryDocument[];
  query: AskedOf<typeof deliveriesList>;
  /** The cursor of the next page. */
  next: string | null;
  setAside: SetAside[];
  /** What farmers share; only operators see it here. */
  granted: SharedAccount[] | undefined;
  /** What they share no longer; only operators see it here. */
  ended: SharedAccount[] | undefined;
  /** The number of accounts that the customer is asked to delete and has not confirmed as deleted. */
  toDelete: number;
  actions: OperatorAction[];
  lastNotice: CustomerNotice | null;
  signsLinks: boolean;
}

/** Reads one row more than it shows, so that the page knows whether there are more. */
export async function readChannelView(
  { store, temporal }: Pick<PageDeps, 'store' | 'temporal'>,
  { holder }: Pick<Door, 'holder'>,
  channel: Channel,
  query: ChannelView['query'],
  now: Date,
): Promise<ChannelView> {
  const { _id: slug } = channel;
  const isOperators = holder === 'operator';
  const reader = isOperators ? 'operator' : 'customer';
  const { markers, waiting, alerts, spans, listed, shared, signed, ...read } = await allOf({
    lanes: temporal.lanes(slug),
    markers: listChannelMarkers(store, channel),
    companies: listCarriedCompanies(store, channel),
    waiting: listBacklogs(store, [channel]),
    alerts: listAlerts(store, { channel: slug }),
    spans: deliveriesSince(store, slug, new Date(now.getTime() - TIMELINE_MS), SHOWN.bars + 1),
    listed: partOf(deliveriesList, store, channel, { ...query, limit: SHOWN.deliveries, reader }),
    setAside: listSetAside(store, slug, { limit: SHOWN.setAside + 1 }),
    shared: isOperators ? readShared(store, slug) : undefined,
    toDelete: countToDelete(store, slug),
    actions: listActions(store, slug, SHOWN.actions, isOperators ? undefined : OF_CUSTOMERS),
    lastNotice: lastNotice(store, slug),
    signed: signedChannels(store, [slug]),
  });
  const deliveredAt = latestOf(markers);
  return {
    ...read,
    channel,
    alerts,
    deliveredAt,
    granted: shared?.granted,
    ended: shared?.ended,
    signsLinks: signed.has(slug),
    query,
    deliveries: listed.shown,
    next: listed.next,
    health: channelCondition(channel, { alerts, deliveredAt }, now),
    due: dueAt(channel, now.getTime()),
    markers: markers.map((marker) => {
      const since = waiting.find(({ entity_type }) => entity_type === marker.entity_type)?.since ?? null;
      return { ...marker, since };
    }),
    howLate: howLate(waiting, now),
    timeline: timelineOf(channel.entity_types, spans.slice(0, SHOWN.bars), now),
    timelineCut: spans.length > SHOWN.bars,
  };
}

/** Awaits an object of promises, each by its name. */
async function allOf<T extends object>(promises: T): Promise<{ [Name in keyof T]: Awaited<T[Name]> }> {
  const all = Object.entries(promises).map(async ([name, promise]) => [name, await promise] as const);
  return Object.fromEntries(await Promise.all(all)) as { [Name in keyof T]: Awaited<T[Name]> };
}

async function readShared(store: Store, slug: string): Promise<Record<'granted' | 'ended', SharedAccount[]>> {
  const granted = await newestGranted(store, slug, SHOWN.granted + 1);
  const ended = await listEnded(store, slug, { limit: SHOWN.granted + 1 });
  const ids = new Set([...granted, ...ended].map(({ account }) => account));
  const byId = new Map((await accountsById(store, [...ids])).map((account) => [account.id, account]));
  const named = (list: Subscription[]) => list.map((one) => ({ ...one, known: byId.get(one.account) }));
  return { granted: named(granted), ended: named(ended) };
}

function latestOf(markers: MarkerView[]): Date | null {
  const latest = markers.flatMap(({ delivered_at }) => delivered_at ?? []).sort().at(-1); // prettier-ignore
  return latest === undefined ? null : new Date(latest);
}

/** Unconfirmed records, and since when the oldest has been waiting. */
export interface Pending {
  pending: number;
  waitingSince: Date | null;
}

/** The totals over a channel's entity types. */
export function sumOf(waiting: Pick<Backlog, 'records' | 'since'>[]): Pending {
  const since = waiting.flatMap((one) => one.since ?? []).map((date) => date.getTime());
  return {
    pending: waiting.reduce((sum, { records }) => sum + records, 0),
    waitingSince: since.length > 0 ? new Date(Math.min(...since)) : null,
  };
}
