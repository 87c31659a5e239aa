import type { ClientSession, DeleteResult, Filter } from 'mongodb';
import { addTo } from '../../domain/records/add-to';
import { findChannel } from '../channels/channels';
import { bumpSharesVersion } from '../channels/shares-version';
import { batchesOf, records } from '../records/records';
import type { Store } from '../store';
import { inTransaction } from '../transact';
import { consents } from './consents';
import { findFarmerId } from './farmers';
import { accountsById, type OfferedAccount } from './offered-accounts';
import {
  ERASED,
  listAllOfFarmer,
  subscriptionId,
  subscriptionKey,
  type Subscription,
  subscriptions,
} from './subscriptions';

/** What is stored of a farmer by their phone, apart from visits. */
export interface FarmerTraces {
  known: boolean;
  subscriptions: Subscription[];
  /** Entries of the ledger: they stay. */
  entries: number;
  /** Accounts that carry the phone: they belong to the company and its ERP. */
  accounts: OfferedAccount[];
}

export async function findTraces(store: Store, phone: string): Promise<FarmerTraces> {
  const farmer = await findFarmerId(store, phone);
  const carrying = await records(store, 'accounts')
    .find({ phones: phone }, { projection: { _id: 1 } })
    .toArray();
  const accounts = await accountsById(
    store,
    carrying.map(({ _id }) => _id),
  );
  if (farmer === undefined) return { known: false, subscriptions: [], entries: 0, accounts };
  const theirs = await listAllOfFarmer(store, farmer);
  const entries = await consents(store).countDocuments({ farmer });
  return { known: true, subscriptions: theirs, entries, accounts };
}

/** Those of accounts that nobody else shares or has shared under the same partner_id: else that is somebody else's as well. */
export async function theirsAlone(store: Store, of: Subscription[]): Promise<Subscription[]> {
  const keyOf = ({ channel, partner_id, account }: Subscription) =>
    JSON.stringify([channel, partner_id, account]);
  const others = new Set<string>();
  for (const batch of batchesOf(of)) {
    const account = { $in: batch.map((one) => one.account) };
    const found = subscriptions(store).find({ account, farmer: { $ne: batch[0]!.farmer } });
    for await (const one of found) others.add(keyOf(one));
  }
  return of.filter((one) => !others.has(keyOf(one)));
}

/**
 * Removes subscriptions that are already revoked. What a customer is asked to delete stays asked, by the account alone
 * (docs/contract.md F24). @returns how many were removed
 */
export async function forgetSubscriptions(store: Store, of: Subscription[]): Promise<number> {
  const byChannel = new Map<string, string[]>();
  for (const { channel, _id } of of) addTo(byChannel, channel, _id);
  let forgotten = 0;
  for (const [channel, ids] of byChannel) {
    const canBeAsked = (await findChannel(store, channel)) !== null;
    for (const batch of batchesOf(ids)) {
      const revoked = { _id: { $in: batch }, state: 'revoked' } as const;
      const { deletedCount } = canBeAsked
        ? await inTransaction(store, (session) => keepRequests(store, { channel, ...revoked }, session))
        : await subscriptions(store).deleteMany(revoked);
      forgotten += deletedCount;
    }
  }
  return forgotten;
}

/** Removes them but for the requests to delete. In turn with grants, so that nothing is asked of what is shared again at this moment. */
async function keepRequests(
  store: Store,
  revoked: Filter<Subscription> & { channel: string },
  session: ClientSession,
): Promise<DeleteResult> {
  await bumpSharesVersion(store, revoked.channel, session);
  const asked = await subscriptions(store)
    .find({ ...revoked, deletion: { $ne: null } }, { session })
    .toArray();
  const writes = asked.map((one) => {
    const key = { ...subscriptionKey(one), partner_id: ERASED };
    const { _id, ...replacement } = { ...one, ...key, _id: subscriptionId(key), phone_ending: '' };
    return { replaceOne: { filter: { _id }, replacement, upsert: true } };
  });
  if (writes.length > 0) await subscriptions(store).bulkWrite(writes, { session });
  return subscriptions(store).deleteMany(revoked, { session });
}
