import type { Store } from '../store';
import { isOver, type Subscription, type SubscriptionKey } from './subscriptions';

/**
 * The accounts that another phone shares under the same partner_id, with the last digits of that phone. They are
 * shown and cannot be taken over; other partner_ids stay hidden.
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
      { projection: { account: 1, phone_ending: 1, ends_at: 1 }, hint: 'channel_account' },
    )
    .toArray();
  return new Map(
    found.filter((one) => !isOver(one)).map(({ account, phone_ending }) => [account, phone_ending]),
  );
}
