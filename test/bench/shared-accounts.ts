import { records } from '../../store/records/records';
import type { Store } from '../../store/store';
import { type Subscription, subscriptionId, subscriptions } from '../../store/consent/subscriptions';

/** Shares accounts with a channel, as after their catch-ups: a grant of each would make the ledger the measurement. */
export async function shareWith(store: Store, channel: string, accounts: string[]): Promise<void> {
  const granted = accounts.map((account): Subscription => {
    const key = { channel, partner_id: 'bench', farmer: 'bench', account };
    const since = { since: new Date(), ended_at: null, version: 0 };
    return {
      _id: subscriptionId(key),
      ...key,
      ...since,
      phone_ending: '42',
      state: 'granted',
      to_begin: [],
    };
  });
  while (granted.length > 0) await subscriptions(store).insertMany(granted.splice(0, 1_000));
}

/** The accounts that the stored tickets belong to. */
export const accountsOfTickets = (store: Store): Promise<string[]> =>
  records(store, 'tickets').distinct('account_ids');
