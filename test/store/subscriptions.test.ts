import { findChannel } from '../../store/feed/channels';
import type { Store } from '../../store/store';
import { noteSent, subscriptions } from '../../store/sharing/subscriptions';
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
