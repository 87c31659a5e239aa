import type { ClientSession } from 'mongodb';
import { createHmac } from 'node:crypto';
import { bumpSharesVersion, type Channel } from './channels';
import { removeCatchUps, writeCatchUps } from './catch-ups';
import type { Store } from './connect';
import { isDuplicateKey } from './unavailable';

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
  /** `due` until the account's earlier records are lined up (commit-order, catch-up). */
  catch_up: 'due' | 'written';
  /** Counts grants and revokes. */
  version: number;
}

export type SubscriptionKey = Pick<Subscription, 'channel' | 'partner_id' | 'farmer' | 'account'>;

const subscriptions = (store: Store) => store.db.collection<Subscription>('subscriptions');

export const subscriptionIndexes = [
  { name: 'channel_account', key: { channel: 1, account: 1, state: 1 } },
  { name: 'farmer', key: { farmer: 1, channel: 1, partner_id: 1 } },
];

/** A keyed hash of the phone's ten digits: whoever reads the database does not learn the number. */
export function farmerOf(store: Store, phone: string): string {
  return createHmac('sha256', store.secretKey).update(`farmer:${phone}`).digest('base64url');
}

/**
 * Grants in one update, then lets every attempt know, then lines up what the account had before: in this order, or
 * records are lost (commit-order, catch-up). @returns false when it was granted already
 */
export async function grant(
  store: Store,
  channel: Channel,
  key: SubscriptionKey,
  phoneEnding: string,
): Promise<boolean> {
  try {
    await subscriptions(store).updateOne(
      { _id: subscriptionId(key), state: { $ne: 'granted' } },
      {
        $set: {
          ...key,
          phone_ending: phoneEnding,
          state: 'granted',
          since: new Date(),
          ended_at: null,
          catch_up: 'due',
        },
        $inc: { version: 1 },
      },
      { upsert: true },
    );
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
  await catchUp(store, channel, key);
  return true;
}

/** Revokes in one update, then lets every attempt know. @returns false when it was not granted */
export async function revoke(store: Store, key: SubscriptionKey): Promise<boolean> {
  const revoked = await subscriptions(store).updateOne(
    { _id: subscriptionId(key), state: 'granted' },
    { $set: { state: 'revoked', ended_at: new Date() }, $inc: { version: 1 } },
  );
  if (revoked.modifiedCount === 0) return false;
  const version = await bumpSharesVersion(store, key.channel);
  const stillShared = await subscriptions(store).findOne({
    channel: key.channel,
    account: key.account,
    state: 'granted',
  });
  // A grant that came after this revoke has lined up a newer catch-up, which stays.
  if (!stillShared) await removeCatchUps(store, key.channel, key.account, version);
  return true;
}

/** What a crash left undone between a grant and its catch-up; a run finishes it. */
export async function finishGrants(store: Store, channel: Channel): Promise<void> {
  const due = subscriptions(store).find({ channel: channel._id, state: 'granted', catch_up: 'due' });
  for await (const subscription of due) await catchUp(store, channel, subscription);
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

/** All that one farmer has said under one partner_id; another partner_id sees nothing of it. */
export async function listOfFarmer(
  store: Store,
  who: Pick<SubscriptionKey, 'channel' | 'partner_id' | 'farmer'>,
): Promise<Subscription[]> {
  const { farmer, channel, partner_id } = who;
  return subscriptions(store).find({ farmer, channel, partner_id }).sort({ account: 1 }).toArray();
}

async function catchUp(store: Store, channel: Channel, key: SubscriptionKey): Promise<void> {
  const version = await bumpSharesVersion(store, key.channel);
  if (channel.scope === 'subscribed') await writeCatchUps(store, channel, key.account, version);
  await subscriptions(store).updateOne(
    { _id: subscriptionId(key), state: 'granted' },
    { $set: { catch_up: 'written' } },
  );
}

// The partner's id is opaque text of any characters, so the parts are joined as JSON.
const subscriptionId = ({ channel, partner_id, farmer, account }: SubscriptionKey) =>
  JSON.stringify([channel, partner_id, farmer, account]);
