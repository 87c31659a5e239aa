import { findChannel } from '../../store/feed/channels';
import { farmerIdOf } from '../../store/sharing/farmers';
import { isListedPhone } from '../../store/sharing/is-listed-phone';
import { subscriptions } from '../../store/sharing/subscriptions';
import type { Store } from '../../store/store';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';

const [PHONE, OTHER] = ['7015550142', '7015550199'];

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
  await addTestChannel(store, 'acme', 'https://acme.example', { scope: 'subscribed' });
});

const push = (phones: string[], rest: object = {}) =>
  pushRecords(store, {
    accounts: [{ id: '1', name: 'Meyer Farms', phones: phones.map((phone) => ({ phone })), ...rest }],
  });
const isListed = () => isListedPhone(store, PHONE);
const endAt = (ends_at: Date) => subscriptions(store).updateMany({}, { $set: { ends_at } });

test('a phone is listed while an account carries it, and not by one that is deleted', async () => {
  expect(await isListed()).toBe(false);
  await push([PHONE]);
  expect([await isListed(), await isListedPhone(store, OTHER)]).toEqual([true, false]);
  await push([PHONE], { deleted_at: '2026-11-01T00:00:00Z' });
  expect(await isListed()).toBe(false);
});

test('a farmer whose account has lost the phone still gets the code to stop what is shared, and nobody else', async () => {
  await push([PHONE]);
  const key = { channel: 'acme', partner_id: 'p', farmer: await farmerIdOf(store, PHONE), account: '42-1' };
  await farmerIdOf(store, OTHER); // a visitor who shares nothing
  await grantAccounts(store, (await findChannel(store, 'acme'))!, [key]);
  await push([]);
  expect([await isListed(), await isListedPhone(store, OTHER)]).toEqual([true, false]);
  await endAt(new Date(Date.now() + 60_000));
  expect(await isListed()).toBe(true);
  await endAt(new Date(Date.now() - 1)); // not written yet
  expect(await isListed()).toBe(false);
  await endAt(new Date(Date.now() + 60_000));
  await revokeAccounts(store, [key]);
  expect(await isListed()).toBe(false);
});
