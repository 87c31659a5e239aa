import { randomUUID } from 'node:crypto';
import type { ClientSession } from 'mongodb';
import { hashKeyId, hashPhone } from '../secrets/hash-key';
import { batchesOf } from '../records/records';
import type { Store } from '../store';
import { inTransaction } from '../transact';
import { subscriptions } from './subscriptions';

/**
 * The one link between a phone and what its farmer has shared: subscriptions and ledger know only the id, which nothing
 * can be computed from. Without this document they belong to nobody (docs/decisions/0026).
 */
interface Farmer {
  /** A keyed hash of the phone's ten digits. */
  _id: string;
  farmer: string;
  /** `hashKeyId` of the key that made the hash. */
  hashed_by: string;
}

const farmers = (store: Store) => store.db.collection<Farmer>('farmers');

export const farmerIndexes = [
  { name: 'hashed_by', key: { hashed_by: 1 } },
  { name: 'farmer', key: { farmer: 1 } },
];

/**
 * The farmer's id, by either key. Made with the first right code, or to tell this phone of the grant of another; the phone is hashed again with the first one after an exchange. For
 * the transaction of the code, so that an erasure finds one of the two links, and nothing comes back of what it has removed.
 */
export async function knownFarmer(store: Store, phone: string, session: ClientSession): Promise<string> {
  const { current, previous } = store.hashKeys!;
  const now = { _id: hashPhone(current, phone), hashed_by: hashKeyId(current) };
  const old = previous && { _id: hashPhone(previous, phone) };
  const before = old && (await farmers(store).findOne(old, { session }));
  if (before) await farmers(store).deleteOne({ _id: before._id }, { session });
  const known = await farmers(store).findOne({ _id: now._id }, { session });
  if (known) return known.farmer;
  const farmer = before?.farmer ?? randomUUID();
  await farmers(store).insertOne({ ...now, farmer }, { session });
  return farmer;
}

/** The id of the farmer with this phone, if there is one. Changes nothing. */
export async function findFarmerId(store: Store, phone: string): Promise<string | undefined> {
  return (await farmers(store).findOne({ _id: { $in: phoneHashes(store, phone) } }))?.farmer;
}

/** Every farmer that a phone leads to. */
export const listFarmers = (store: Store) => farmers(store).find();

/** Forgets whose the id was, by whatever key the phone is hashed at this moment. @returns how many links there were */
export const forgetFarmer = (store: Store, farmer: string): Promise<number> =>
  inTransaction(
    store,
    async (session) => (await farmers(store).deleteMany({ farmer }, { session })).deletedCount,
  );

/** The hashes of a phone under the keys in use. */
export function phoneHashes({ hashKeys }: Store, phone: string): string[] {
  const { current, previous } = hashKeys!;
  return [current, ...(previous ? [previous] : [])].map((key) => hashPhone(key, phone));
}

/** How many farmers are known, how many of them by another key than the current one, and how many of those share. */
export async function countHashedBefore(store: Store) {
  const before = { hashed_by: { $ne: hashKeyId(store.hashKey) } };
  const ids = (await farmers(store).find(before).toArray()).map(({ farmer }) => farmer);
  let sharing = 0;
  for (const batch of batchesOf(ids))
    sharing += (await subscriptions(store).distinct('farmer', { farmer: { $in: batch }, state: 'granted' }))
      .length;
  return { farmers: await farmers(store).countDocuments(), before: ids.length, sharing };
}

export async function forgetHashedBefore(store: Store): Promise<void> {
  await farmers(store).deleteMany({ hashed_by: { $ne: hashKeyId(store.hashKey) } });
}
