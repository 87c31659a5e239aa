import { addTo } from '../../domain/records/add-to';
import { batchesOf, records } from '../records/records';
import type { Store } from '../store';
import { findFarmerId } from './farmers';
import { hasExpired, type Sharer, subscriptions } from './subscriptions';

/**
 * The farmer's phone, of which only a hash is stored: one that these accounts carry now and that leads to the farmer. A
 * number that the accounts no longer carry is not found, as it may now be somebody else's; so only of `carriers` may that phone be told.
 */
export async function phoneOfFarmer(
  store: Store,
  farmer: string,
  accounts: string[],
): Promise<{ phone: string; carriers: string[] } | undefined> {
  for (const [phone, carriers] of await carriersByPhone(store, accounts))
    if ((await findFarmerId(store, phone)) === farmer) return { phone, carriers };
  return undefined;
}

/** The phones that these accounts carry now, each with its accounts. */
export async function carriersByPhone(store: Store, accounts: string[]): Promise<Map<string, string[]>> {
  const byPhone = new Map<string, string[]>();
  for (const ids of batchesOf([...new Set(accounts)])) {
    const found = records(store, 'accounts').find({ _id: { $in: ids } }, { projection: { phones: 1 } });
    for await (const { _id, phones = [] } of found) for (const phone of phones) addTo(byPhone, phone, _id);
  }
  return byPhone;
}

/** Whether any company has the phone on an account, or its farmer still shares something. */
export async function isListedPhone(store: Store, phone: string): Promise<boolean> {
  const only = { projection: { _id: 1 } } as const;
  const account = await records(store, 'accounts').findOne({ phones: phone, deleted_at: null }, only);
  if (account) return true;
  const farmer = await findFarmerId(store, phone);
  if (farmer === undefined) return false;
  const granted = subscriptions(store).find(
    { farmer, state: 'granted' },
    { projection: { ends_at: 1, over: 1 } },
  );
  for await (const one of granted) if (!hasExpired(one)) return true;
  return false;
}

/**
 * The accounts that another phone shares under the same partner_id, with the last digits of that phone. They are
 * shown and cannot be taken over; other partner_ids stay hidden.
 */
export async function sharedByOthers(
  store: Store,
  { channel, partner_id, farmer }: Sharer,
  accounts: string[],
): Promise<Map<string, string>> {
  const found = await subscriptions(store)
    .find(
      { channel, account: { $in: accounts }, state: 'granted', partner_id, farmer: { $ne: farmer } },
      { projection: { account: 1, phone_ending: 1, ends_at: 1, over: 1 }, hint: 'channel_account' },
    )
    .toArray();
  return new Map(
    found.filter((one) => !hasExpired(one)).map(({ account, phone_ending }) => [account, phone_ending]),
  );
}
