import { records } from '../push/records';
import type { Store } from '../store';
import { findFarmerId } from './farmers';
import { subscriptions } from './subscriptions';

/** Whether any company has the phone on an account, or something is still shared with it. */
export async function isListedPhone(store: Store, phone: string): Promise<boolean> {
  const only = { projection: { _id: 1 } } as const;
  const account = await records(store, 'accounts').findOne({ phones: phone, deleted_at: null }, only);
  if (account) return true;
  const farmer = await findFarmerId(store, phone);
  if (farmer === undefined) return false;
  return (await subscriptions(store).findOne({ farmer, state: 'granted' }, only)) !== null;
}
