import { randomUUID } from 'node:crypto';
import { findChannel } from '../store/channels/channels';
import { endsOf } from '../store/sharing/grant-and-revoke';
import { listOver } from '../store/consent/subscriptions';
import type { Parts } from './record-action';
import { shareAccounts } from './share-accounts';

/**
 * Writes the ends that have come, as revokes: to the ledger, the subscriptions and their catch-ups, then the signal. Pages
 * have left these accounts out since the end itself (docs/contract.md F21), so it does not matter when this runs, nor in how
 * many processes: the second one finds nothing to revoke. @returns how many were ended
 */
export async function endGrants(parts: Parts, now: Date): Promise<number> {
  const over = await listOver(parts.store, now);
  let ended = 0;
  for (const slug of new Set(over.map(({ channel }) => channel))) {
    const channel = await findChannel(parts.store, slug);
    if (!channel) continue;
    const requestId = randomUUID();
    const ofChannel = over.filter((one) => one.channel === slug);
    const revokes = endsOf(channel, ofChannel, requestId);
    ended += (await shareAccounts(parts, channel, { revokes }, { requestId })).changed;
  }
  return ended;
}
