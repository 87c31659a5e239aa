import { timeIn, timeNow } from '../../domain/time/elapsed';
import type { ClientSession } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { type AlertClass, isFailure, isOurs, type NoticeKind } from '../../domain/deliveries/alert-class';
import { addTo } from '../../domain/records/add-to';
import { failureForCustomers, forCustomers } from '../../domain/deliveries/for-customers';
import type { Store } from '../store';
import { type Alert, alerts, type Notice } from './alerts';
import type { Channel } from '../channels/channels';
import { batchesOf } from '../records/records';
import { DAY_MS } from '../../domain/time/spans';

/** What a customer is told at its notification address (docs/contract.md C26). */
export const CUSTOMER_NOTICE_TYPES = [
  'notifications.begun',
  'notifications.moved',
  'signing_secret.rotated',
  'delivery.moved',
  'delivery.failing',
  'delivery.recovered',
  'records.set_aside',
  'service.late',
  'service.recovered',
  'source.silent',
  'source.recovered',
  'channel.paused',
  'channel.resumed',
  'channel.closed',
  'accounts.granted',
  'accounts.revoked',
  'accounts.ended',
  'accounts.ending',
] as const;

export type CustomerNoticeType = (typeof CUSTOMER_NOTICE_TYPES)[number];

export interface CustomerNotice {
  /** One notice per id, however often its event is seen. */
  _id: string;
  /** The queue: the channel's slug, or `<slug>/<address>` for notices to a fixed address, which wait for no others. */
  channel: string;
  /** Where it goes, if not to the channel's address. */
  url?: string;
  type: CustomerNoticeType;
  data: Record<string, unknown>;
  at: Date;
  tries: number;
  /** When it is posted; null once it was taken or given up. */
  next_at: Date | null;
  sent_at: Date | null;
  /** Why it was not taken the last time. */
  problem: string | null;
  expires_at: Date;
}

type Told = Pick<Channel, '_id' | 'notify_url'>;

const RETENTION_MS = 30 * DAY_MS;
/** What is not taken within this time is given up. */
const GIVE_UP_MS = 3 * DAY_MS;
const MOST_MINUTES = 6 * 60;
/** For how long an address that was replaced is still told of changes. */
const KEEPS_HEARING_MS = 7 * DAY_MS;

const notices = (store: Store) => store.db.collection<CustomerNotice>('customer_notices');

export const customerNoticeIndexes = [
  { name: 'next', key: { next_at: 1 } },
  { name: 'channel', key: { channel: 1, at: -1 } },
  { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 },
];

/** Keeps a notice until it is posted, where the channel has an address for it. */
export async function noteForCustomer(
  store: Store,
  { _id: channel, notify_url }: Told,
  { _id, at = timeNow(), ...said }: Pick<CustomerNotice, '_id' | 'type' | 'data' | 'url'> & { at?: Date },
  session?: ClientSession,
): Promise<void> {
  if (!notify_url) return;
  const expires_at = new Date(at.getTime() + RETENTION_MS);
  const waiting = { channel, ...said, at, tries: 0, next_at: at, sent_at: null, problem: null, expires_at };
  await notices(store).updateOne(
    { _id },
    { $setOnInsert: waiting },
    { upsert: true, ...(session && { session }) },
  );
}

/**
 * The first notice of an address says that it works; the address before is told that nothing more comes to it. What that one has not
 * taken is posted to the new one at once.
 */
export async function noteNewAddress(store: Store, before: Told, now: string): Promise<void> {
  const { _id: slug, notify_url: old } = before;
  const begun = { _id: `begun/${randomUUID()}`, type: 'notifications.begun', data: {} } as const;
  await noteForCustomer(store, { _id: slug, notify_url: now }, begun);
  const anew = { $set: { next_at: timeNow(), tries: 0 } };
  await notices(store).updateMany({ channel: slug, next_at: { $ne: null } }, anew);
  if (old !== now) await noteChange(store, before, 'notifications.moved', now);
}

/**
 * Tells the customer of a change at the address from before it, even if another is set before the notice is posted. Also tells
 * the address from before the first move of the last seven days, as a thief of the customer's key may have made that move.
 */
export async function noteChange(
  store: Store,
  { _id: slug, notify_url }: Told,
  type: 'notifications.moved' | 'signing_secret.rotated' | 'delivery.moved',
  now?: string,
): Promise<void> {
  for (const url of new Set([notify_url, await addressBeforeMoves(store, slug)])) {
    if (!url || url === now) continue;
    const told = { _id: `${slug}/${url}`, notify_url: url };
    await noteForCustomer(store, told, { _id: `${type}/${randomUUID()}`, type, data: {}, url });
  }
}

async function addressBeforeMoves(store: Store, slug: string): Promise<string | undefined> {
  const first = await notices(store).findOne(
    {
      channel: { $gte: `${slug}/`, $lt: `${slug}0` }, // 0 is the character after the slash
      type: 'notifications.moved',
      at: { $gte: timeIn(-KEEPS_HEARING_MS) },
    },
    { sort: { at: 1 } },
  );
  return first?.url;
}

const OF_FAILURES: Record<NoticeKind, CustomerNoticeType> = {
  opened: 'delivery.failing',
  day: 'delivery.failing',
  paused: 'channel.paused',
  resolved: 'delivery.recovered',
};

const BEGINS_AND_ENDS: Partial<Record<AlertClass, Partial<Record<NoticeKind, CustomerNoticeType>>>> = {
  set_aside: { opened: 'records.set_aside' },
  stale: { opened: 'service.late', resolved: 'service.recovered' },
  silent: { opened: 'source.silent', resolved: 'source.recovered' },
};

/** What customers are told of an alert's notice; undefined for what is not about them. */
const typeFor = (kind: AlertClass, notice: NoticeKind): CustomerNoticeType | undefined =>
  (BEGINS_AND_ENDS[kind] ?? (isFailure(kind) && !isOurs(kind) ? OF_FAILURES : {}))[notice];

/**
 * Makes customers' notices of the alerts that are about them. A notice older than three days is dropped.
 * @param hearersOf the channels whose customers are told of an alert by such a notice
 */
export async function handOnAlerts(
  store: Store,
  now: Date,
  hearersOf: (alert: Alert, type: CustomerNoticeType) => Promise<Channel[]>,
): Promise<void> {
  for (const alert of await alerts(store)
    .find({ untold: { $gt: 0 } })
    .toArray()) {
    const { _id, class: kind, company, untold } = alert;
    const recent = alert.notices.filter(({ at }) => now.getTime() - at.getTime() < GIVE_UP_MS);
    const told = recent.flatMap((notice) => {
      const type = typeFor(kind, notice.kind);
      return type ? { ...notice, type } : [];
    });
    for (const notice of told) {
      for (const channel of await hearersOf(alert, notice.type)) {
        const id = company ? `${_id}/${notice.key}/${channel._id}` : `${_id}/${notice.key}`;
        const { type, at } = notice;
        await noteForCustomer(store, channel, { _id: id, type, data: dataOf(alert, notice), at });
      }
    }
    await alerts(store).updateOne({ _id, untold }, { $set: { untold: 0 } });
  }
}

function dataOf({ class: kind, company }: Alert, { kind: notice, message }: Notice): CustomerNotice['data'] {
  if (company) return { company: company.id, name: company.name };
  if (kind === 'stale') return {};
  const isOver = notice === 'resolved';
  return { failure: kind, message: isOver ? forCustomers(message) : failureForCustomers(kind, message) };
}

/** How many notices are due, those of alerts included. */
export async function countUntold(store: Store, now: Date): Promise<number> {
  const due = await notices(store).countDocuments({ next_at: { $lte: now } });
  return due + (await alerts(store).countDocuments({ untold: { $gt: 0 } }));
}

/** The queues (`channel`) whose waiting notices are all due; those with the fewest failed tries first. */
export async function listUntold(store: Store, now: Date): Promise<string[]> {
  const due = notices(store).aggregate<{ _id: string }>([
    { $match: { next_at: { $ne: null } } },
    {
      $group: {
        _id: '$channel',
        tries: { $max: '$tries' },
        next_at: { $min: '$next_at' },
        last: { $max: '$next_at' },
      },
    },
    { $match: { last: { $lte: now } } },
    { $sort: { tries: 1, next_at: 1 } },
  ]);
  return (await due.toArray()).map(({ _id }) => _id);
}

/** The waiting notices of one queue (`channel`), oldest first, at most 200. */
export async function listWaiting(store: Store, channel: string): Promise<CustomerNotice[]> {
  return notices(store)
    .find({ channel, next_at: { $ne: null } })
    .sort({ at: 1, _id: 1 })
    .limit(200)
    .toArray();
}

export async function noteTold(store: Store, _id: string, now: Date): Promise<void> {
  await notices(store).updateOne({ _id }, { $set: { next_at: null, sent_at: now, problem: null } });
}

/** Records that a notice was not taken. Its queue then waits, twice as long after each try, and is given up after three days. */
export async function noteUntold(
  store: Store,
  { _id, channel, tries }: CustomerNotice,
  problem: string,
  now: Date,
): Promise<void> {
  const waitMs = Math.min(2 ** tries, MOST_MINUTES) * 60_000;
  const waiting = { channel, next_at: { $ne: null } };
  await notices(store).updateOne({ _id }, { $inc: { tries: 1 }, $set: { problem } });
  await notices(store).updateMany(waiting, { $set: { next_at: new Date(now.getTime() + waitMs) } });
  const old = { ...waiting, at: { $lte: new Date(now.getTime() - GIVE_UP_MS) } };
  await notices(store).updateMany(old, { $set: { next_at: null, problem: `given up: ${problem}` } });
}

/** Drops what waits for a customer that no longer wants notices. */
export async function forgetUntold(store: Store, channel: string): Promise<void> {
  await notices(store).updateMany({ channel, next_at: { $ne: null } }, { $set: { next_at: null } });
}

/** Takes a farmer who is erased out of what was told, or is still to be told, of their accounts. */
export async function eraseFromNotices(
  store: Store,
  shared: { channel: string; partner_id: string; account: string }[],
): Promise<void> {
  const accounts = new Map<string, string[]>();
  for (const { channel, partner_id, account } of shared)
    addTo(accounts, JSON.stringify([channel, partner_id]), account);
  for (const [key, all] of accounts) {
    const [channel, partner_id] = JSON.parse(key) as [string, string];
    for (const batch of batchesOf(all))
      await notices(store).updateMany(
        { channel, 'data.partner_id': partner_id, 'data.accounts': { $in: batch } },
        { $set: { 'data.partner_id': '' } },
      );
  }
}

export async function findNotice(store: Store, _id: string): Promise<CustomerNotice | null> {
  return notices(store).findOne({ _id });
}

export async function lastNotice(store: Store, channel: string): Promise<CustomerNotice | null> {
  return notices(store).findOne({ channel }, { sort: { at: -1 } });
}

/** Whether any notice waits for a customer, at whichever address. */
export async function isStillTold(store: Store, slug: string): Promise<boolean> {
  const queues = [{ channel: slug }, { channel: { $gte: `${slug}/`, $lt: `${slug}0` } }]; // as above
  return (await notices(store).findOne({ $or: queues, next_at: { $ne: null } })) !== null;
}
