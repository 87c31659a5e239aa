import { records } from '../records/records';
import type { Store } from '../store';
import { consents } from './consents';
import { findFarmerId } from './farmers';
import { accountsById, type OfferedAccount } from './offered-accounts';
import { listAllOfFarmer, type Subscription, subscriptions } from './subscriptions';

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

/** Removes subscriptions that are already revoked, with the ending of the phone. @returns how many */
export async function forgetSubscriptions(store: Store, of: Subscription[]): Promise<number> {
  const _id = { $in: of.map((one) => one._id) };
  return (await subscriptions(store).deleteMany({ _id, state: 'revoked' })).deletedCount;
}
