import type { ClientSession } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import { hasCome, msNow, PROCESSES_APART_MS } from '../../domain/time/elapsed';
import { integrations } from '../callers/integrations';
import { carriesCompany, type Channel, dueAt } from '../channels/channels';
import { hasExpired, type Subscription, subscriptions } from '../consent/subscriptions';
import { deliveries, type DeliveryDocument } from '../deliveries/deliveries';
import type { SetAside } from '../deliveries/set-aside';
import type { CatchUp } from '../markers/catch-ups';
import { type Marker, markerId } from '../markers/markers';
import { waitingPages } from '../markers/waiting-pages';
import { seeNewest } from '../records/counters';
import { batchesOf, type RecordDocument, records } from '../records/records';
import type { Store } from '../store';

/** Where a record stands with a channel, in the version that is stored now. Nothing here changes anything. */
export type Place =
  // Never, as things are.
  | { outcome: 'company_not_carried' | 'type_not_carried' | 'before_since' }
  | { outcome: 'not_shared' | 'before_grant'; accounts: string[] }
  | ({ outcome: 'set_aside'; delivery: string } & Pick<SetAside, 'at' | 'status' | 'answer'>)
  // Not yet.
  | { outcome: 'paused'; reason: string }
  | { outcome: 'held_back' | 'asked_again'; at: Date }
  | { outcome: 'catch_up_not_begun' | 'catch_up'; accounts: string[] }
  | { outcome: 'page_waits'; webhook_id: string }
  | { outcome: 'in_delivery'; delivery: string; answered: string | null }
  | { outcome: 'above_ceiling'; delivery: string }
  | { outcome: 'waiting'; at: Date | null }
  // Delivered, with which delivery where that is known.
  | { outcome: 'confirmed'; delivery: string | null; at: Date | null };

const VERSION = {
  company_id: 1,
  account_ids: 1,
  left_account_ids: 1,
  position: 1,
  updated_at: 1,
  deleted_at: 1,
};
export type TracedVersion = Pick<RecordDocument, '_id' | keyof typeof VERSION>;

export interface TracedRecord {
  record: TracedVersion;
  /** By channel. `isGone`: it was corrected away from all that is shared, and is shown as deleted. */
  places: Map<string, Place & { isGone: boolean }>;
}

const MAX_TRIES = 5;

/**
 * Where one record stands with each of these channels; undefined where there is no such record. What is read does not depend on how
 * many records there are, and is the same whether this one is there, so that the time does not tell it.
 */
export async function traceRecord(
  store: Store,
  { type, id }: { type: EntityType; id: string },
  channels: Channel[],
): Promise<TracedRecord | undefined> {
  return store.client.withSession({ causalConsistency: true }, async (session) => {
    await seeNewest(store, session);
    const find = () =>
      records(store, type).findOne<TracedVersion>({ _id: id }, { projection: VERSION, session });
    for (let tries = 1; ; tries += 1) {
      const record = await find();
      const facts = await readFacts(store, type, record ?? noRecord(id), { channels, session });
      const now = await find();
      // What has changed meanwhile was judged by two versions.
      if (now?.position !== record?.position && tries < MAX_TRIES) continue;
      return record
        ? { record, places: await placesOf(store, { type, record, ...facts }, channels) }
        : undefined;
    }
  });
}

/** Stands for one that is not there: it is asked for as if it were its own account. */
const noRecord = (_id: string): TracedVersion => ({
  ...{ _id, company_id: '', account_ids: [_id], position: 0 },
  ...{ updated_at: new Date(0), deleted_at: null },
});

/** What decides, of all the channels. */
type Facts = Awaited<ReturnType<typeof readFacts>>;

/** A record, and what decides of one channel. */
type OfChannel = { type: EntityType; record: TracedVersion } & Facts;

/** Catch-ups before markers, as a reset moves the marker before it cuts them. */
async function readFacts(
  store: Store,
  entity_type: EntityType,
  record: TracedVersion,
  { channels, session }: { channels: Channel[]; session: ClientSession },
) {
  const slugs = channels.map(({ _id }) => _id);
  const lanes = slugs.map((slug) => markerId(slug, entity_type));
  const sharing = channels.filter(({ scope }) => scope === 'subscribed').map(({ _id }) => _id);
  const granted = await readGranted(store, record, sharing, session);
  const open = granted.map(({ channel, account }) => `${markerId(channel, entity_type)}/${account}`);
  const catchUps = (await readByIds<Marker>(store, 'markers', open, session)) as CatchUp[];
  const own = await readByIds<Marker>(store, 'markers', lanes, session);
  const asides = lanes.map((lane) => `${lane}/${record._id}`);
  const aside = await readByIds<SetAside & { resend?: true }>(store, 'set_aside', asides, session);
  const of = { channel: { $in: slugs }, entity_type, catch_up: false, status: 'running' } as const;
  const running = await deliveries(store).find(of, { session }).toArray();
  const waiting = await waitingPages(store)
    .find({ _id: { $in: lanes } }, { projection: PAGE, session })
    .toArray();
  return { granted, catchUps, own, aside, running, waiting };
}

const PAGE = { channel: 1, page: 1, 'laid.fence': 1, 'laid.confirmation.move.to.position': 1 };

/** What farmers share of the record's accounts, those it was corrected away from as well. */
async function readGranted(
  store: Store,
  { account_ids, left_account_ids = [] }: TracedVersion,
  slugs: string[],
  session: ClientSession,
): Promise<Subscription[]> {
  // One read, however many they are and where there is none: as of a record that is not there.
  const accounts = [...account_ids, ...left_account_ids];
  const account = accounts.length === 1 ? accounts[0]! : { $in: accounts };
  const of = { account, state: 'granted' } as const; // with anybody: an account has few
  const found = await subscriptions(store).find(of, { session }).toArray();
  return found.filter((one) => slugs.includes(one.channel) && !hasExpired(one));
}

async function readByIds<T extends { _id: string }>(
  store: Store,
  collection: string,
  ids: string[],
  session: ClientSession,
): Promise<T[]> {
  const found: T[] = [];
  // Without ids as well: as much is read of what is not shared for this version.
  for (const list of ids.length === 0 ? [[]] : batchesOf(ids)) {
    const of = { _id: { $in: list } } as object;
    found.push(
      ...(await store.db.collection<{ _id: string }>(collection).find<T>(of, { session }).toArray()),
    );
  }
  return found;
}

async function placesOf(store: Store, of: OfChannel, channels: Channel[]): Promise<TracedRecord['places']> {
  const place = async (channel: Channel) => {
    const { _id: slug } = channel;
    const own = <T extends { channel: string }>(all: T[]) => all.filter((one) => one.channel === slug);
    const facts = {
      ...{ granted: own(of.granted), catchUps: own(of.catchUps), own: own(of.own) },
      ...{ aside: own(of.aside), running: own(of.running), waiting: own(of.waiting) },
    };
    const through = sharedThrough({ ...of, ...facts });
    const isGone =
      channel.scope === 'subscribed' &&
      !through.some(({ account }) => of.record.account_ids.includes(account));
    const found =
      neverSent({ ...of, ...facts }, channel, through) ??
      notYetSent({ ...of, ...facts }, channel, through) ??
      passedOver({ ...of, ...facts }, channel) ??
      (await confirmedBy(store, { ...of, ...facts }, channel, through));
    return [slug, { ...found, isGone }] as const;
  };
  return new Map(await Promise.all(channels.map(place)));
}

/** The grants by which the channel gets this version. */
const sharedThrough = ({ type, record, granted }: OfChannel): Subscription[] =>
  granted.filter(({ from }) => record.position > (from?.[type] ?? 0));

const accountsOf = (grants: Pick<Subscription, 'account'>[]) => [
  ...new Set(grants.map(({ account }) => account)),
];

function neverSent(
  { type, record, granted }: OfChannel,
  channel: Channel,
  through: Subscription[],
): Place | undefined {
  const { entity_types, scope } = channel;
  if (!carriesCompany(channel, record.company_id)) return { outcome: 'company_not_carried' };
  if (!entity_types.includes(type)) return { outcome: 'type_not_carried' };
  if (scope === 'all' || through.length > 0) return undefined;
  return granted.length > 0
    ? { outcome: 'before_grant', accounts: accountsOf(granted) }
    : { outcome: 'not_shared', accounts: record.account_ids };
}

/** As the digest counts what is pending, with the reason. */
function notYetSent(
  { type, record: { position }, catchUps, own: [marker], aside: [known], running, waiting }: OfChannel,
  channel: Channel,
  through: Subscription[],
): Place | undefined {
  const toBegin = through.filter(({ to_begin }) => to_begin.includes(type));
  const accounts = accountsOf(through);
  const catching = catchUps.filter(
    ({ account, position: after, until }) =>
      accounts.includes(account) && position > after && position <= until,
  );
  const isAbove = position > (marker?.position ?? 0);
  const askedAgain = known?.released_at;
  if (!isAbove && !askedAgain && toBegin.length === 0 && catching.length === 0) return undefined;
  if (channel.state === 'paused') return { outcome: 'paused', reason: channel.paused?.reason ?? '' };
  if (toBegin.length > 0 && (!isAbove || toBegin.length === through.length))
    return { outcome: 'catch_up_not_begun', accounts: accountsOf(toBegin) };
  const until = channel.delivery === 'pull' ? undefined : marker?.not_before; // who collects does not wait for it
  if (until && !hasCome(until)) return { outcome: 'held_back', at: until };
  if (catching.length > 0) return { outcome: 'catch_up', accounts: accountsOf(catching) };
  if (askedAgain && !isAbove) return { outcome: 'asked_again', at: askedAgain };
  const [{ page, laid } = {}] = waiting;
  const isNewest = laid?.fence.id === marker?._id && laid?.fence.epoch === marker?.epoch;
  if (page && isNewest && position <= (laid?.confirmation.move.to?.position ?? 0))
    return { outcome: 'page_waits', webhook_id: page };
  const [report] = running;
  if (!report) return { outcome: 'waiting', at: dueAt(channel, msNow()) };
  const { _id: delivery, to, failed_attempts } = report;
  if (position > to) return { outcome: 'above_ceiling', delivery };
  return { outcome: 'in_delivery', delivery, answered: failed_attempts.at(-1)?.reason ?? null };
}

/** What the marker has passed without a confirmation. */
function passedOver(
  { record: { position }, own: [marker], aside: [known] }: OfChannel,
  { scope }: Channel,
): Place | undefined {
  if (known && !known.resend && known.position === position) {
    const { at, status, answer, delivery } = known;
    return { outcome: 'set_aside', at, status, answer, delivery };
  }
  // Of what farmers share, catch-ups send what was there before.
  return scope === 'all' && position <= (marker?.began ?? 0) ? { outcome: 'before_since' } : undefined;
}

// More reports than that behind a change are not looked through: which one it was is then not known.
const MOST_REPORTS = 2_000;
const SOON_CADENCES = 2;

/** The delivery whose window had this version, as far as reports are kept. One in which any was set aside proves nothing of it. */
async function confirmedBy(
  store: Store,
  { type: entity_type, record: { position, updated_at } }: OfChannel,
  { _id: channel, cadence_ms }: Channel,
  through: Subscription[],
): Promise<Place> {
  const shared = through.map(({ since }) => since.getTime());
  const begins = Math.max(updated_at.getTime(), shared.length > 0 ? Math.min(...shared) : 0);
  const $gte = new Date(begins - PROCESSES_APART_MS);
  const covering = { entity_type, catch_up: false, from: { $lt: position }, to: { $gte: position } };
  const firstOf = async (started_at: object) => {
    const [first] = await deliveries(store)
      .aggregate<Pick<DeliveryDocument, '_id' | 'ended_at'>>([
        { $match: { channel, started_at } },
        { $sort: { started_at: 1, _id: 1 } },
        { $limit: MOST_REPORTS },
        { $match: { ...covering, status: 'delivered', set_aside: { $in: [0, null] } } },
        { $limit: 1 },
        { $project: { ended_at: 1 } },
      ])
      .toArray();
    return first;
  };
  // Mostly it is one of the first, and a stand-in sorts all that match.
  const $lte = new Date(begins + SOON_CADENCES * cadence_ms);
  const found = (await firstOf({ $gte, $lte })) ?? (await firstOf({ $gte }));
  return { outcome: 'confirmed', delivery: found?._id ?? null, at: found?.ended_at ?? null };
}

// A push has its turn within 25 s, and stores its receipt last.
const LATEST_RECEIPT_MS = 30_000;
const [MOST_RECEIPTS, MOST_REQUESTS] = [1_000, 5];

/**
 * The requests of the company's ERPs that changed something at that moment, while their receipts are kept: a receipt does not name its
 * records, so several are all that is known where an ERP pushes every few seconds.
 */
export async function requestsAt(
  store: Store,
  { company_id, updated_at }: Pick<TracedVersion, 'company_id' | 'updated_at'>,
): Promise<string[]> {
  const own = await integrations(store)
    .find({ 'company.id': company_id }, { projection: { _id: 1 } })
    .toArray();
  const at = updated_at.getTime();
  const receipts = await store.db
    .collection<{ _id: string; at: Date; changed: number }>('push_receipts')
    .find(
      { at: { $gte: new Date(at - PROCESSES_APART_MS), $lte: new Date(at + LATEST_RECEIPT_MS) } },
      { projection: { at: 1, changed: 1 } },
    )
    .sort({ at: 1 })
    .limit(MOST_RECEIPTS)
    .toArray();
  return receipts
    .filter(({ changed }) => changed > 0)
    .flatMap(({ _id }) =>
      own.flatMap((erp) => (_id.startsWith(`${erp._id}/`) ? [_id.slice(erp._id.length + 1)] : [])),
    )
    .slice(0, MOST_REQUESTS);
}
