import type { Store } from '../../store/store';
import { loopbackAgent } from '../setup/loopback-agent';
import { type Channel, findChannel } from '../../store/channels/channels';
import { readMarkers } from '../../store/markers/markers';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { farmerOf } from '../../store/consent/subscriptions';
import { ActivityWorker } from '../setup/activity-worker';
import { addTestChannel } from '../setup/add-test-channel';
import { FakeCustomer } from '../setup/fake-customer';
import { emptyStore } from '../setup/open-store';
import { COMPANY, pushRecords } from '../setup/push-records';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';

const SLUG = 'acme';

export const accountId = (remoteId: string) => `${COMPANY.id}-${remoteId}`;

/** A store, a customer and a channel of scope `subscribed` between them; the real activities, run by hand. */
export async function openSharedScene(pageSize = 1000) {
  const store = await emptyStore({ monitored: true });
  const customer = await FakeCustomer.start();
  const agent = loopbackAgent();
  await addTestChannel(store, SLUG, customer.baseUrl, {
    scope: 'subscribed',
    page_size: pageSize,
    entity_types: ['accounts', 'tickets'],
  });
  const channel = async () => (await findChannel(store, SLUG)) as Channel;
  const key = (account: string, partner = 'policy-1') => ({
    channel: SLUG,
    partner_id: partner,
    farmer: farmerOf(store, '7015550142'),
    account: accountId(account),
  });

  const worker = (through = store, name?: string) =>
    new ActivityWorker(SLUG, { store: through, agent, customer }, name);

  return {
    store,
    customer,
    channel,
    /** Tickets by id and the accounts that they name; a split when there are several. */
    pushTickets: (tickets: Record<string, string[]>, load_number = '') =>
      pushRecords(store, {
        tickets: Object.entries(tickets).map(([id, accounts]) =>
          accounts.length === 1
            ? { id, account_id: accounts[0], load_number }
            : { id, load_number, splits: accounts.map((account_id) => ({ account_id, split_percent: 50 })) },
        ),
      }),
    grant: async (account: string, partner?: string, through = store) =>
      grantAccounts(through, await channel(), [key(account, partner)]),
    /** Without the earlier records. */
    grantNew: async (account: string, partner?: string, through = store) =>
      grantAccounts(through, await channel(), [key(account, partner)], '42', false),
    grantAll: async (accounts: string[]) =>
      grantAccounts(
        store,
        await channel(),
        accounts.map((account) => key(account)),
      ),
    revoke: (account: string, partner?: string, through = store) =>
      revokeAccounts(through, [key(account, partner)]),
    setPageSize: (page_size: number) =>
      store.db.collection<Channel>('channels').updateOne({ _id: SLUG }, { $set: { page_size } }),
    reset: async () => resetChannelMarker(store, await channel(), 'tickets', new Date(0)),
    worker,
    plan: (through?: Store) => worker(through).plan(),
    /** One run: plan, then every window; `pages` of each at the most. */
    run: (pages?: number, through?: Store) => worker(through).run({ ...(pages && { pages }) }),
    /** The tickets posted since, in order. */
    posted: (since = 0) =>
      customer.pages
        .slice(since)
        .filter(({ entityType }) => entityType === 'tickets')
        .flatMap(({ records }) => records.map(({ remote_id }) => remote_id)),
    position: async () => (await readMarkers(store, SLUG)).get('tickets')?.position,
  };
}

export type SharedScene = Awaited<ReturnType<typeof openSharedScene>>;
