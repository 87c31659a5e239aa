import type { Channel } from '../../store/channels/channels';
import { farmerOf } from '../../store/consent/subscriptions';
import { COMPANY, pushRecords } from '../setup/push-records';
import { SLUG, stand } from '../setup/stand';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';

export const accountId = (remoteId: string) => `${COMPANY.id}-${remoteId}`;

/** A stand whose channel has the scope `subscribed`. */
export async function openSharedScene(page_size = 1000) {
  const scene = await stand({
    customer: 'confirms',
    channel: { scope: 'subscribed', page_size, entity_types: ['accounts', 'tickets'] },
  });
  const { store, channel } = scene;
  const key = (account: string, partner = 'policy-1') => ({
    channel: SLUG,
    partner_id: partner,
    farmer: farmerOf(store, '7015550142'),
    account: accountId(account),
  });
  return {
    ...scene,
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
    setPageSize: (size: number) =>
      store.db.collection<Channel>('channels').updateOne({ _id: SLUG }, { $set: { page_size: size } }),
  };
}

export type SharedScene = Awaited<ReturnType<typeof openSharedScene>>;
