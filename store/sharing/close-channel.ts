import type { ClientSession } from 'mongodb';
import { timeNow } from '../../domain/time/elapsed';
import { MINUTE_MS } from '../../domain/time/spans';
import { masked } from '../../domain/text/masked';
import { isStillTold, noteForCustomer } from '../alerts/customer-notices';
import { type Channel, channels, keysUntil, NOT_CLOSED } from '../channels/channels';
import { forgetPausedCodes } from '../codes/paused-codes';
import { isAnyGranted } from '../consent/subscriptions';
import { forgetSetAside } from '../deliveries/set-aside';
import { forgetMarkers } from '../markers/markers';
import { forgetWaitingPages } from '../markers/waiting-pages';
import { removeLinkKeys } from '../secrets/link-keys';
import type { Store } from '../store';
import { inTransaction } from '../transact';

/**
 * Closes a channel for good. From the commit on no page leaves, no key of it opens anything, and the secrets that its customer
 * gave are gone. What signs the last notices stays until they are told (`forgetClosed`).
 * @returns false where it was closed before
 */
export async function closeChannel(store: Store, slug: string, reason: string): Promise<boolean> {
  return inTransaction(store, async (session) => {
    const channel = await channels(store).findOneAndUpdate(
      { _id: slug, ...NOT_CLOSED },
      {
        $set: {
          state: 'closed',
          closed: { reason: masked(reason), at: timeNow() },
          // The hash of no key. Each channel has another one, as the index is unique.
          api_key_hashes: [`closed/${slug}`],
          old_api_key_ends_at: null,
        },
        $unset: { authorization: 1, headers: 1, paused: 1, failing: 1 },
        $inc: { shares_version: 1 },
      },
      { session },
    );
    if (!channel) return false;
    await forgetKeys(store, slug, session);
    const told = { _id: `closed/${slug}`, type: 'channel.closed', data: {} } as const;
    await noteForCustomer(store, channel, told, session);
    return true;
  });
}

async function forgetKeys(store: Store, slug: string, session?: ClientSession): Promise<void> {
  await removeLinkKeys(store, slug, session);
  await forgetWaitingPages(store, slug, session);
  await forgetPausedCodes(store, slug, session);
}

/** Forgets how far a closed channel's customer was. There may be too many for a transaction, so it is done again until it is done. */
export async function forgetProgress(store: Store, slug: string): Promise<void> {
  await forgetSetAside(store, slug);
  await forgetMarkers(store, slug);
}

/** A delivery that was in flight when its channel was closed has ended by then. */
const LONGEST_DELIVERY_MS = 15 * MINUTE_MS;

/**
 * Forgets the rest of a closed channel: what signs its notices, once none is left to tell, and what a delivery that was in flight
 * has written. Its document stays. @returns whether it did
 */
export async function forgetClosed(store: Store, channel: Channel, now: Date): Promise<boolean> {
  const { _id: slug, closed } = channel;
  if (!closed || now.getTime() - closed.at.getTime() < LONGEST_DELIVERY_MS) return false;
  if ((await isAnyGranted(store, slug)) || (await isStillTold(store, slug))) return false;
  await forgetKeys(store, slug);
  await forgetProgress(store, slug);
  await channels(store).updateOne(
    { _id: slug, state: 'closed' },
    {
      $set: { signing_secrets: [], past_keys: keysUntil(channel, now), 'closed.forgotten_at': now },
      $unset: { notify_url: 1 },
    },
  );
  return true;
}
