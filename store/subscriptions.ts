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
  /** `due` until what follows a grant or a revoke is done: lining up earlier records, or dropping them. */
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
  let granted: Subscription | null;
  try {
    granted = await subscriptions(store).findOneAndUpdate(
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
      { upsert: true, returnDocument: 'after' },
    );
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
  if (granted) await catchUp(store, channel, granted);
  return true;
}

/**
 * Revokes in one update, then lets every attempt know: also when it was revoked already, as whoever did that may not
 * have come so far. @returns false when it was not granted
 */
export async function revoke(store: Store, key: SubscriptionKey): Promise<boolean> {
  const revoked = await subscriptions(store).findOneAndUpdate(
    { _id: subscriptionId(key), state: 'granted' },
    { $set: { state: 'revoked', ended_at: new Date(), catch_up: 'due' }, $inc: { version: 1 } },
    { returnDocument: 'after' },
  );
  const ended =
    revoked ?? (await subscriptions(store).findOne({ _id: subscriptionId(key), state: 'revoked' }));
  if (ended) await dropCatchUp(store, ended);
  return revoked !== null;
}

/** What a crash left undone after a grant or a revoke; a run finishes it. */
export async function finishGrants(store: Store, channel: Channel): Promise<void> {
  const due = subscriptions(store).find({ channel: channel._id, catch_up: 'due' });
  for await (const subscription of due) {
    if (subscription.state === 'granted') await catchUp(store, channel, subscription);
    else await dropCatchUp(store, subscription);
  }
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

async function catchUp(store: Store, channel: Channel, granted: Subscription): Promise<void> {
  const version = await bumpSharesVersion(store, granted.channel);
  if (channel.scope === 'subscribed') await writeCatchUps(store, channel, granted.account, version);
  await settle(store, granted);
}

async function dropCatchUp(store: Store, revoked: Subscription): Promise<void> {
  const { channel, account } = revoked;
  const version = await bumpSharesVersion(store, channel);
  const stillShared = await subscriptions(store).findOne({ channel, account, state: 'granted' });
  // A grant that came after this revoke has lined up a newer catch-up, which stays.
  if (!stillShared) await removeCatchUps(store, channel, account, version);
  await settle(store, revoked);
}

/** Done, unless another grant or revoke has come meanwhile, with work of its own to do. */
async function settle(store: Store, { _id, version }: Subscription): Promise<void> {
  await subscriptions(store).updateOne({ _id, version }, { $set: { catch_up: 'written' } });
}

// The partner's id is opaque text of any characters, so the parts are joined as JSON.
const subscriptionId = ({ channel, partner_id, farmer, account }: SubscriptionKey) =>
  JSON.stringify([channel, partner_id, farmer, account]);
