import { findChannel } from '../../store/feed/channels';
import type { Store } from '../../store/store';
import { listConsents } from '../../store/sharing/consents';
import { sharedByOthers } from '../../store/sharing/shared-by-others';
import {
  listGranted,
  listGrantedOf,
  listGrantedOfAccounts,
  listGrantedOfFarmer,
  listOfFarmer,
  newestGranted,
  noteSent,
  readAccountsToBegin,
  readSharedAccounts,
  subscriptions,
} from '../../store/sharing/subscriptions';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
  for (const slug of ['acme', 'bank'])
    await addTestChannel(store, slug, `https://${slug}.example`, { scope: 'subscribed' });
});

const key = (channel: string, partner_id = 'p') => ({ channel, partner_id, farmer: 'dale', account: '42-1' });
const share = async (channel: string, partner_id?: string) =>
  grantAccounts(store, (await findChannel(store, channel))!, [key(channel, partner_id)]);
const sentTo = async (channel: string, partner_id = 'p') =>
  (await subscriptions(store).findOne({ channel, partner_id }))!.sent?.delivery;

test('what was sent to one customer is said of no other, nor of a grant that is over, nor of a new one', async () => {
  await share('acme');
  await share('acme', 'over');
  await share('bank');
  await revokeAccounts(store, [key('acme', 'over')]);
  await noteSent(store, 'acme', ['42-1'], { at: new Date(), delivery: 'delivery/acme/tickets/1' });
  expect([await sentTo('acme'), await sentTo('acme', 'over'), await sentTo('bank')]).toEqual([
    'delivery/acme/tickets/1',
    undefined,
    undefined,
  ]);
  await revokeAccounts(store, [key('acme')]);
  await share('acme');
  expect(await sentTo('acme')).toBeUndefined();
});

test('what has come to its end counts nowhere as shared, before that is written', async () => {
  await share('acme');
  const lists = async () =>
    Promise.all([
      listGranted(store, 'acme'),
      listGrantedOf(store, 'acme', '42-1'),
      listGrantedOfAccounts(store, ['42-1']),
      listGrantedOfFarmer(store, 'dale'),
      newestGranted(store, 'acme', 9),
    ]);
  const endAt = (ends_at: Date) => subscriptions(store).updateMany({}, { $set: { ends_at } });
  await endAt(new Date(Date.now() + 60_000));
  expect((await lists()).map(({ length }) => length)).toEqual([1, 1, 1, 1, 1]);
  await endAt(new Date(Date.now() - 1));
  expect((await lists()).map(({ length }) => length)).toEqual([0, 0, 0, 0, 0]);
});

test('what one customer gets is of no other, under the same number and of the same account', async () => {
  await share('acme');
  await share('bank');
  await share('acme', 'other');
  const ofAcme = { channel: 'acme', partner_id: 'p', farmer: 'dale' };
  const [expected, all] = [[expect.objectContaining(key('acme'))], ['acme', 'acme']];
  expect(await listOfFarmer(store, ofAcme)).toEqual(expected);
  expect(await listConsents(store, ofAcme)).toEqual(expected);
  expect((await listGrantedOf(store, 'acme', '42-1')).map(({ channel }) => channel)).toEqual(all);
});

test('what is shared with one customer is neither selected nor begun for another', async () => {
  const read = async () =>
    store.client.withSession(async (session) => [
      await readAccountsToBegin(store, 'acme', 'tickets', session),
      [...(await readSharedAccounts(store, 'acme', 'tickets', session)).accounts],
    ]);
  const begin = () => subscriptions(store).updateMany({}, { $set: { to_begin: [] } });
  await share('bank');
  expect(await read()).toEqual([[], []]);
  await begin();
  expect(await read()).toEqual([[], []]);
  await share('acme');
  expect(await read()).toEqual([['42-1'], []]);
  await begin();
  expect(await read()).toEqual([[], ['42-1']]);
});

test('an account is taken by whoever shares it now with this customer under this number', async () => {
  const others = { channel: 'acme', partner_id: 'p', farmer: 'ruth' };
  const taken = () => sharedByOthers(store, others, ['42-1']);
  await share('bank');
  await share('acme', 'other');
  expect(await taken()).toEqual(new Map());
  await share('acme');
  expect(await taken()).toEqual(new Map([['42-1', '42']]));
  expect(await sharedByOthers(store, { ...others, farmer: 'dale' }, ['42-1'])).toEqual(new Map());
  await revokeAccounts(store, [key('acme')]);
  expect(await taken()).toEqual(new Map());
});
