import { records } from '../push/records';
import type { Store } from '../store';
import { findFarmerId } from './farmers';
import { isOver, subscriptions } from './subscriptions';

/** Whether any company has the phone on an account, or something is still shared with it. */
export async function isListedPhone(store: Store, phone: string): Promise<boolean> {
  const only = { projection: { _id: 1 } } as const;
  const account = await records(store, 'accounts').findOne({ phones: phone, deleted_at: null }, only);
  if (account) return true;
  const farmer = await findFarmerId(store, phone);
  if (farmer === undefined) return false;
  const granted = subscriptions(store).find({ farmer, state: 'granted' }, { projection: { ends_at: 1 } });
  for await (const one of granted) if (!isOver(one)) return true;
  return false;
}
