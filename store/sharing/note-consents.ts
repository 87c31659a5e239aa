import type { ClientSession, Filter } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { lastDayOf } from '../../domain/consent/grant-end';
import { addTo } from '../../domain/records/add-to';
import { noteForCustomer } from '../alerts/customer-notices';
import { type Channel, findChannel } from '../channels/channels';
import type { Consent, ConsentAct } from '../consent/consents';
import { newsOf, noteNews } from '../consent/farmer-notices';
import { type Subscription, subscriptions } from '../consent/subscriptions';
import { batchesOf } from '../records/records';
import { formatInstant } from '../../domain/time/instants';
import { DAY_MS } from '../../domain/time/spans';
import type { Store } from '../store';
import { inTransaction } from '../transact';
import { noteAsking } from './deletions';

/** A grant without the earlier records. */
export const isLate = (act: ConsentAct) => 'earlier' in act && act.earlier === false;

/**
 * Keeps notices of grants and revokes for the customer: one for each transaction, kind of change and partner_id. The notice asks
 * for the deletion of accounts that nobody shares any more.
 */
export async function noteConsents(
  store: Store,
  channel: Pick<Channel, '_id' | 'notify_url'>,
  { written, unshared }: { written: Consent[]; unshared: ReadonlySet<string> },
  session: ClientSession,
): Promise<void> {
  if (!channel.notify_url) return;
  const told = new Map<string, Consent[]>();
  for (const consent of written) {
    const key = `${typeOf(consent)} ${isLate(consent)} ${consent.partner_id}`;
    addTo(told, key, consent);
  }
  for (const [first, ...rest] of told.values()) {
    const { partner_id, at, act } = first!;
    const accounts = [...new Set([first!, ...rest].map(({ account }) => account))];
    const toDelete = accounts.filter((account) => unshared.has(account));
    const more = act === 'grant' ? { earlier: !isLate(first!) } : { delete: toDelete };
    const [_id, data] = [noticeId(first!), { partner_id, accounts, ...more }];
    await noteForCustomer(store, channel, { _id, type: typeOf(first!), data, at }, session);
    if (toDelete.length > 0) await noteAsking(store, channel._id, toDelete, _id, session);
  }
}

/** Entries of one transaction have the same time, so the number in the id gives the order of their notices. */
const noticeId = ({ channel, number }: Consent) => `consent/${channel}/${String(number).padStart(9, '0')}`;

function typeOf(consent: Consent) {
  if (consent.act === 'grant') return 'accounts.granted';
  return 'by' in consent && consent.by === 'end' ? 'accounts.ended' : 'accounts.revoked';
}

/** So long before its end both sides are told of it. */
const TOLD_BEFORE_MS = 14 * DAY_MS;

/**
 * Notes once for each end that is near what farmers and customers are told of it, in one transaction with that they were. A farmer who
 * has chosen it within these days knows it.
 */
export async function noteEndings(store: Store, now: Date): Promise<void> {
  const until = new Date(now.getTime() + TOLD_BEFORE_MS);
  const near = { state: 'granted', ends_at: { $gt: now, $lte: until }, ending: { $ne: true } } as const;
  for (const slug of await subscriptions(store).distinct('channel', near))
    for (const ids of batchesOf(await subscriptions(store).distinct('_id', { ...near, channel: slug })))
      await inTransaction(store, (session) => noteSome(store, slug, { ...near, _id: { $in: ids } }, session));
}

async function noteSome(store: Store, slug: string, near: Filter<Subscription>, session: ClientSession) {
  const some = await subscriptions(store).find(near, { session }).toArray();
  await subscriptions(store).updateMany(near, { $set: { ending: true } }, { session });
  const channel = await findChannel(store, slug, session);
  const [ofCustomer, ofFarmers] = [new Map<string, Subscription[]>(), new Map<string, string>()];
  for (const one of some) {
    const { ends_at, farmer, partner_id, since, moved_at = since } = one;
    const chosen = Math.max(since.getTime(), moved_at.getTime());
    addTo(ofCustomer, JSON.stringify([ends_at, partner_id]), one);
    if (chosen < ends_at!.getTime() - TOLD_BEFORE_MS)
      ofFarmers.set(newsOf('ending', slug, lastDayOf(ends_at!), farmer), farmer);
  }
  for (const all of channel ? ofCustomer.values() : []) {
    const { partner_id, ends_at } = all[0]!;
    const accounts = all.map(({ account }) => account);
    const data = { partner_id, accounts: [...new Set(accounts)], ends_at: formatInstant(ends_at!) };
    const notice = { _id: `ending/${randomUUID()}`, type: 'accounts.ending', data } as const;
    await noteForCustomer(store, channel!, notice, session);
  }
  for (const [news, farmer] of ofFarmers)
    await noteNews(store, farmer, { news: [news], language: 'en' }, session);
}
