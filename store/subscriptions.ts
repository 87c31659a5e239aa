import type { ClientSession } from 'mongodb';
import { createHmac } from 'node:crypto';
import type { Store } from './connect';

/** A farmer's standing permission for one account to one channel under one partner_id. */
export interface Subscription {
  _id: string;
  channel: string;
  partner_id: string;
  /** `farmerOf` the phone that was verified when it was granted. */
  farmer: string;
  /** The last two digits of that phone, so that the farmer knows it again. */
  phone_ending: string;
  /** The account's record id, `<company_id>-<remote_id>`. */
  account: string;
  state: 'granted' | 'revoked';
  since: Date;
  ended_at: Date | null;
  /** `due` until what follows a grant or a revoke is done: lining up earlier records, or dropping them. */
  catch_up: 'due' | 'written';
  /** Counts grants and revokes. */
  version: number;
}

export type SubscriptionKey = Pick<Subscription, 'channel' | 'partner_id' | 'farmer' | 'account'>;

export const subscriptions = (store: Store) => store.db.collection<Subscription>('subscriptions');

export const subscriptionIndexes = [
  { name: 'channel_account', key: { channel: 1, account: 1, state: 1 } },
  { name: 'farmer', key: { farmer: 1, channel: 1, partner_id: 1 } },
];

/** A keyed hash of the phone's ten digits: whoever reads the database does not learn the number. */
export function farmerOf(store: Store, phone: string): string {
  return createHmac('sha256', store.hashKey).update(`farmer:${phone}`).digest('base64url');
}

/** The accounts shared with a channel now, whoever shared them. Read after the ceiling (commit-order, sharing). */
export async function readSharedAccounts(
  store: Store,
  channel: string,
  session?: ClientSession,
): Promise<Set<string>> {
  const shared = await subscriptions(store)
    .find({ channel, state: 'granted' }, { projection: { account: 1 }, ...(session ? { session } : {}) })
    .toArray();
  return new Set(shared.map(({ account }) => account));
}

/** What is granted now, oldest first; for one partner_id where one is given. */
export async function listGranted(
  store: Store,
  channel: string,
  partnerId?: string,
): Promise<Subscription[]> {
  return subscriptions(store)
    .find({ channel, state: 'granted', ...(partnerId === undefined ? {} : { partner_id: partnerId }) })
    .sort({ since: 1, _id: 1 })
    .toArray();
}

/** Who shares one account with a channel now, oldest first. */
export async function listGrantedOf(store: Store, channel: string, account: string): Promise<Subscription[]> {
  return subscriptions(store)
    .find({ channel, account, state: 'granted' })
    .sort({ since: 1, _id: 1 })
    .toArray();
}

/** What is granted now, newest first: whoever calls has most likely just been on the page. */
export async function newestGranted(store: Store, channel: string, limit: number): Promise<Subscription[]> {
  return subscriptions(store)
    .find({ channel, state: 'granted' })
    .sort({ since: -1, _id: -1 })
    .limit(limit)
    .toArray();
}

/** All that one farmer has said under one partner_id; another partner_id sees nothing of it. */
export async function listOfFarmer(
  store: Store,
  who: Pick<SubscriptionKey, 'channel' | 'partner_id' | 'farmer'>,
): Promise<Subscription[]> {
  const { farmer, channel, partner_id } = who;
  return subscriptions(store).find({ farmer, channel, partner_id }).sort({ account: 1 }).toArray();
}

// The partner's id is opaque text of any characters, so the parts are joined as JSON.
export const subscriptionId = ({ channel, partner_id, farmer, account }: SubscriptionKey) =>
  JSON.stringify([channel, partner_id, farmer, account]);
