import { refusedBy } from '../../domain/access';
import { type Channel, findChannelByKeyHash } from '../feed/channels';
import type { Store } from '../store';
import { type PageSession, pageSessions } from './page-sessions';
import { hashToken } from './tokens';

/** Bound to the key that opened it, so that it ends with the key; and to the key's channel, whatever the key opens. */
const sessions = pageSessions<{ channel: string; key_hash: string }>('customer_sessions');

/** @returns the cookie's value */
export const openCustomerSession = (store: Store, { _id }: Channel, apiKey: string): Promise<string> =>
  sessions.open(store, { channel: _id, key_hash: hashToken(apiKey) });

/**
 * A customer's session and the channel as it is now; null when there is none, it has ended, or its key no longer opens the
 * channel from this address.
 */
export async function findCustomerSession(
  store: Store,
  token: string,
  ip: string,
): Promise<{ session: PageSession; channel: Channel } | null> {
  const session = await sessions.find(store, token);
  const channel = session && (await findChannelByKeyHash(store, session.key_hash));
  if (!channel || channel._id !== session.channel) return null;
  return refusedBy(channel.key_access, ip, new Date()) ? null : { session, channel };
}

export const closeCustomerSession = sessions.close;
