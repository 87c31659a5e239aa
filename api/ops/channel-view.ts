import { listAlerts, type Alert } from '../../store/alerts';
import { pageSizeOf, type Channel } from '../../store/channels';
import type { Store } from '../../store/connect';
import { deliveriesSince, listDeliveries, type Delivery } from '../../store/deliveries';
import { dueAt } from '../../store/due-at';
import { listChannelMarkers, type MarkerView } from '../../store/list-channel-markers';
import { listWaiting, type Waiting } from '../../store/list-waiting';
import { accountsById, type OfferedAccount } from '../../store/offered-accounts';
import { listActions, type OperatorAction } from '../../store/operator-actions';
import { listSetAside, type SetAside } from '../../store/set-aside';
import { newestGranted, type Subscription } from '../../store/subscriptions';
import { cursorAfter, type DeliveriesQuery } from '../deliveries/deliveries-query';
import { healthOf, type ChannelHealth } from './channel-health';
import { lanesOf, STRIP_MS, type Lane } from './strip';

/** How much of each list a channel's page shows; `gdx` has the rest. */
export const SHOWN = { deliveries: 25, marks: 1_000, setAside: 50, granted: 50, actions: 20 } as const;

/** All that a channel's page tells. */
export interface ChannelView {
  channel: Channel;
  health: ChannelHealth;
  alerts: Alert[];
  deliveredAt: Date | null;
  due: Date | null;
  pageSizeNow: number;
  markers: (MarkerView & Pick<Waiting, 'since'>)[];
  lanes: Lane[];
  /** There were more deliveries than are drawn. */
  lanesCut: boolean;
  deliveries: Delivery[];
  query: DeliveriesQuery;
  /** Where the list goes on. */
  next: string | undefined;
  setAside: SetAside[];
  granted: (Subscription & { known: OfferedAccount | undefined })[];
  actions: OperatorAction[];
}

/** Lists are read one longer than they are shown, so that the page can say that there is more. */
export async function readChannelView(
  store: Store,
  channel: Channel,
  query: DeliveriesQuery,
  now: Date,
): Promise<ChannelView> {
  const { _id: slug } = channel;
  const [markers, waiting, alerts, spans, deliveries, setAside, granted, actions] = await Promise.all([
    listChannelMarkers(store, channel),
    listWaiting(store, [channel]),
    listAlerts(store, { channel: slug }),
    deliveriesSince(store, slug, new Date(now.getTime() - STRIP_MS), SHOWN.marks + 1),
    listDeliveries(store, slug, { ...query, limit: SHOWN.deliveries + 1 }),
    listSetAside(store, slug, { limit: SHOWN.setAside + 1 }),
    readGranted(store, slug),
    listActions(store, slug, SHOWN.actions),
  ]);
  const deliveredAt = latestOf(markers);
  const shown = deliveries.slice(0, SHOWN.deliveries);
  return {
    ...{ channel, alerts, deliveredAt, setAside, granted, actions, query, deliveries: shown },
    health: healthOf(channel, alerts, deliveredAt, now),
    due: dueAt(channel, now.getTime()),
    pageSizeNow: pageSizeOf(channel, now.getTime()),
    markers: markers.map((marker) => {
      const since = waiting.find(({ entity_type }) => entity_type === marker.entity_type)?.since ?? null;
      return { ...marker, since };
    }),
    lanes: lanesOf(channel.entity_types, spans.slice(0, SHOWN.marks), now),
    lanesCut: spans.length > SHOWN.marks,
    next: deliveries.length > shown.length ? cursorAfter(shown.at(-1)!) : undefined,
  };
}

async function readGranted(store: Store, slug: string): Promise<ChannelView['granted']> {
  const granted = await newestGranted(store, slug, SHOWN.granted + 1);
  const accounts = await accountsById(store, [...new Set(granted.map(({ account }) => account))]);
  const byId = new Map(accounts.map((account) => [account.id, account]));
  return granted.map((subscription) => ({ ...subscription, known: byId.get(subscription.account) }));
}

function latestOf(markers: MarkerView[]): Date | null {
  const latest = markers.flatMap(({ delivered_at }) => delivered_at ?? []).sort().at(-1); // prettier-ignore
  return latest === undefined ? null : new Date(latest);
}
