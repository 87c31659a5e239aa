import { addHashKey, dropPreviousHashKey } from '../../store/access/hash-key';
import { findChannel } from '../../store/feed/channels';
import {
  countHashedBefore,
  farmerIdOf,
  findFarmerId,
  forgetFarmer,
  forgetHashedBefore,
} from '../../store/sharing/farmers';
import { eraseNotices, FarmerErased } from '../../store/sharing/farmer-notices';
import { forgetSubscriptions } from '../../store/sharing/farmers-traces';
import { phoneOfFarmer } from '../../store/sharing/phone-of-farmer';
import { farmerOf, subscriptions } from '../../store/sharing/subscriptions';
import type { Store } from '../../store/store';
import { addTestChannel } from '../setup/add-test-channel';
import { openStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { closeStore } from '../../store/connect';

const [PHONE, OTHER] = ['7015550142', '7015550199'];

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => closeStore(store));

test('a farmer keeps the id over two exchanges of the key, as they come once after each', async () => {
  const id = await farmerIdOf(store, PHONE);
  const absent = await farmerIdOf(store, OTHER);
  for (let exchange = 1; exchange <= 2; exchange++) {
    expect(await addHashKey(store)).toBe(true);
    expect(await addHashKey(store)).toBe(false); // two are in use
    expect([await findFarmerId(store, PHONE), await farmerIdOf(store, PHONE)]).toEqual([id, id]);
    expect(await countHashedBefore(store)).toMatchObject({ before: 1, farmers: 2 });
    await dropPreviousHashKey(store);
    expect(await findFarmerId(store, OTHER)).toBeUndefined(); // did not come
  }
  expect(await farmerIdOf(store, OTHER)).not.toBe(absent);
});

test('a farmer is forgotten by the key of before, too', async () => {
  const id = await farmerIdOf(store, PHONE);
  await addHashKey(store);
  expect(await forgetFarmer(store, PHONE)).toBe(1);
  expect(await farmerIdOf(store, PHONE)).not.toBe(id);
});

const keyOf = (farmer: string) => ({ channel: 'acme', partner_id: 'p', farmer, account: '42-1' });
async function share(farmer: string): Promise<void> {
  const known = await findChannel(store, 'acme');
  if (!known) await addTestChannel(store, 'acme', 'https://acme.example', { scope: 'subscribed' });
  await grantAccounts(store, (await findChannel(store, 'acme'))!, [keyOf(farmer)]);
}

test('a farmer from before there were ids keeps what the hash has granted', async () => {
  const hash = farmerOf(store, PHONE);
  await share(hash);
  expect([await farmerIdOf(store, PHONE), await farmerIdOf(store, OTHER)]).toEqual([
    hash,
    expect.not.stringContaining(hash),
  ]);
});

test('a farmer from before there were ids who was erased comes back as somebody else', async () => {
  const hash = farmerOf(store, PHONE);
  await share(hash);
  await eraseNotices(store, hash);
  await expect(share(hash)).resolves.toBeUndefined(); // granted already: nothing begins
  await revokeAccounts(store, [keyOf(hash)]);
  await expect(share(hash)).rejects.toThrow(FarmerErased);
  const id = await farmerIdOf(store, PHONE);
  expect(id).not.toBe(hash);
  await share(id);
});

test('of those hashed before an exchange only who shares counts as such, and they alone are forgotten', async () => {
  const [id, other] = [await farmerIdOf(store, PHONE), await farmerIdOf(store, OTHER)];
  for (const farmer of [id, other]) await share(farmer);
  await addHashKey(store);
  expect(await countHashedBefore(store)).toEqual({ farmers: 2, before: 2, sharing: 2 });
  await revokeAccounts(store, [keyOf(id)]);
  expect(await countHashedBefore(store)).toEqual({ farmers: 2, before: 2, sharing: 1 });
  await farmerIdOf(store, OTHER);
  await forgetHashedBefore(store);
  expect([await findFarmerId(store, PHONE), await findFarmerId(store, OTHER)]).toEqual([undefined, other]);
});

test('of the phones of an account the farmer’s own is found, not that of another farmer', async () => {
  const [id] = [await farmerIdOf(store, PHONE), await farmerIdOf(store, OTHER)];
  const phones = [OTHER, PHONE].map((phone) => ({ phone }));
  await pushRecords(store, { accounts: [{ id: '1', name: 'Both', phones }] });
  expect(await phoneOfFarmer(store, id, ['42-1'])).toBe(PHONE);
  expect(await phoneOfFarmer(store, 'somebody else', ['42-1'])).toBeUndefined();
});

test('what is granted again while its farmer is erased is not taken out unrevoked', async () => {
  const id = await farmerIdOf(store, PHONE);
  await share(id);
  await revokeAccounts(store, [keyOf(id)]);
  const read = await subscriptions(store).find().toArray();
  await share(id);
  expect(await forgetSubscriptions(store, read)).toBe(0);
  await revokeAccounts(store, [keyOf(id)]);
  expect(await forgetSubscriptions(store, read)).toBe(1);
});
