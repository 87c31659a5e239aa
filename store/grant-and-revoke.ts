import { batchesOf } from './batches';
import { removeCatchUps, writeCatchUps } from './catch-ups';
import { bumpSharesVersion, type Channel } from './channels';
import type { Store } from './connect';
import { insertUnlessThere } from './insert-unless-there';
import { subscriptionId, type Subscription, type SubscriptionKey, subscriptions } from './subscriptions';

/** The channel has entity types by now that the farmer was not shown: what he granted was taken back. */
export class EntityTypesAdded extends Error {
  override name = 'EntityTypesAdded';
}

/**
 * Grants, each in one write, then lets every attempt know, then lines up what the accounts had before: in this order,
 * or records are lost (commit-order, catch-up). What is granted already stays as it is.
 * @param channel as the farmer was shown it
 * @param keys one batch, all of this channel
 * @returns how many were not granted before
 * @throws EntityTypesAdded
 */
export async function grant(
  store: Store,
  channel: Channel,
  keys: SubscriptionKey[],
  phoneEnding: string,
): Promise<number> {
  const _id = { $in: keys.map(subscriptionId) };
  const granted = await beginGrants(store, keys, phoneEnding);
  if (granted === 0) return 0;
  const due = await subscriptions(store).find({ _id, state: 'granted', catch_up: 'due' }).toArray();
  // Types are added only while nothing is granted and shares_version stands still (setChannel). Written after the bump
  // in catchUp, they meet the moved version, and the look that follows finds the grant; written before it, they are seen
  // by the bump: which comes also where a run has meanwhile done all that was due.
  if (await catchUp(store, channel, due)) return granted;
  await revoke(store, keys);
  throw new EntityTypesAdded();
}

async function beginGrants(store: Store, keys: SubscriptionKey[], phone_ending: string): Promise<number> {
  const _id = { $in: keys.map(subscriptionId) };
  const granted = { state: 'granted', since: new Date(), ended_at: null, catch_up: 'due' } as const;
  const state = { phone_ending, ...granted };
  const again = { _id, state: 'revoked' } as const;
  const { modifiedCount } = await subscriptions(store).updateMany(again, {
    $set: state,
    $inc: { version: 1 },
  });
  if (modifiedCount === keys.length) return modifiedCount;
  const known = await subscriptions(store)
    .find({ _id }, { projection: { _id: 1 } })
    .toArray();
  const ids = new Set(known.map((subscription) => subscription._id));
  const fresh = keys.map((key) => ({ _id: subscriptionId(key), ...key, ...state, version: 1 }));
  const missing = fresh.filter((subscription) => !ids.has(subscription._id));
  return modifiedCount + missing.length - (await insertUnlessThere(subscriptions(store), missing)).length;
}

/**
 * Revokes each in one update, then lets every attempt know: also of those that were revoked already, as whoever did
 * that may not have come so far.
 * @param keys one batch, all of one channel
 * @returns how many were granted before
 */
export async function revoke(store: Store, keys: SubscriptionKey[]): Promise<number> {
  const _id = { $in: keys.map(subscriptionId) };
  const { modifiedCount } = await subscriptions(store).updateMany(
    { _id, state: 'granted' },
    { $set: { state: 'revoked', ended_at: new Date(), catch_up: 'due' }, $inc: { version: 1 } },
  );
  await dropCatchUps(store, await subscriptions(store).find({ _id, state: 'revoked' }).toArray());
  return modifiedCount;
}

/** What a crash left undone after a grant or a revoke; a run finishes it. */
export async function finishGrants(store: Store, channel: Channel): Promise<void> {
  const all = await subscriptions(store).find({ channel: channel._id, catch_up: 'due' }).toArray();
  for (const due of batchesOf(all)) {
    const granted = due.filter(({ state }) => state === 'granted');
    if (granted.length > 0) await catchUp(store, channel, granted);
    await dropCatchUps(
      store,
      due.filter(({ state }) => state === 'revoked'),
    );
  }
}

/** @returns false, and all stays due, if entity types were added since the channel was read */
async function catchUp(store: Store, channel: Channel, granted: Subscription[]): Promise<boolean> {
  const accounts = accountsOf(granted);
  const isAsRead = await store.client.withSession({ causalConsistency: true }, async (session) => {
    const now = await bumpSharesVersion(store, channel._id, accounts.length, session);
    if (now.entity_types.some((type) => !channel.entity_types.includes(type))) return false;
    const isToDo = channel.scope === 'subscribed' && accounts.length > 0;
    if (isToDo) await writeCatchUps(store, channel, accounts, now.shares_version, session);
    return true;
  });
  if (isAsRead) await settle(store, granted);
  return isAsRead;
}

async function dropCatchUps(store: Store, revoked: Subscription[]): Promise<void> {
  if (revoked.length === 0) return;
  const { channel } = revoked[0]!;
  const accounts = accountsOf(revoked);
  const { version, shared } = await store.client.withSession(
    { causalConsistency: true },
    async (session) => ({
      version: (await bumpSharesVersion(store, channel, 1, session)).shares_version,
      shared: await subscriptions(store)
        .find(
          { channel, account: { $in: accounts }, state: 'granted' },
          { projection: { account: 1 }, session },
        )
        .toArray(),
    }),
  );
  const stillShared = new Set(accountsOf(shared));
  const unshared = accounts.filter((account) => !stillShared.has(account));
  // A grant that came after this revoke has lined up a newer catch-up, which stays.
  await removeCatchUps(store, channel, unshared, version);
  await settle(store, revoked);
}

/** Done, unless another grant or revoke has come meanwhile, with work of its own to do. */
async function settle(store: Store, done: Subscription[]): Promise<void> {
  for (const version of new Set(done.map((subscription) => subscription.version))) {
    const ids = done.filter((subscription) => subscription.version === version).map(({ _id }) => _id);
    await subscriptions(store).updateMany({ _id: { $in: ids }, version }, { $set: { catch_up: 'written' } });
  }
}

const accountsOf = (of: Pick<Subscription, 'account'>[]) => [...new Set(of.map(({ account }) => account))];
