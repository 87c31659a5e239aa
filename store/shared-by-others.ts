import type { Store } from './connect';
import type { Subscription, SubscriptionKey } from './subscriptions';

/**
 * The accounts that somebody with another phone shares under the same partner_id, with the last digits of that phone:
 * to be shown, not to be taken over. Another partner_id sees nothing of it.
 */
export async function sharedByOthers(
  store: Store,
  who: Pick<SubscriptionKey, 'channel' | 'partner_id' | 'farmer'>,
  accounts: string[],
): Promise<Map<string, string>> {
  const found = await store.db
    .collection<Subscription>('subscriptions')
    .find(
      {
        channel: who.channel,
        account: { $in: accounts },
        state: 'granted',
        partner_id: who.partner_id,
        farmer: { $ne: who.farmer },
      },
      { projection: { account: 1, phone_ending: 1 }, hint: 'channel_account' },
    )
    .toArray();
  return new Map(found.map(({ account, phone_ending }) => [account, phone_ending]));
}
