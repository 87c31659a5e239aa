import { randomUUID } from 'node:crypto';
import { type Channel, findEvenClosed, listClosed } from '../store/channels/channels';
import { forgetProgress } from '../store/sharing/close-channel';
import { endsOf } from '../store/sharing/grant-and-revoke';
import { listGranted, listOver } from '../store/consent/subscriptions';
import type { Parts } from './record-action';
import { resting } from './resting';
import { revokesOf, shareAccounts } from './share-accounts';

/**
 * Writes the ends that have come, as revokes: to the ledger, the subscriptions and their catch-ups, then the signal. Pages
 * have left these accounts out since the end itself (docs/contract.md F21), so it does not matter when this runs, nor in how
 * many processes: the second one finds nothing to revoke. Also ends what closed channels still share. @returns how many were ended
 */
export async function endGrants(parts: Parts, now: Date): Promise<number> {
  const over = await listOver(parts.store, now);
  let ended = 0;
  for (const slug of new Set(over.map(({ channel }) => channel))) {
    const channel = await findEvenClosed(parts.store, slug);
    if (!channel) continue;
    const requestId = randomUUID();
    const ofChannel = over.filter((one) => one.channel === slug);
    const revokes = endsOf(channel, ofChannel, requestId);
    ended += (await shareAccounts(parts, channel, { revokes }, { requestId })).changed;
  }
  for (const channel of await listClosed(parts.store, { isLeft: true }))
    ended += await finishClosing(parts, channel, randomUUID());
  return ended;
}

/** Ends what a closed channel still shares, and forgets what it knew of its customer. @returns how many grants were ended */
export async function finishClosing(parts: Parts, channel: Channel, request_id: string): Promise<number> {
  const { _id: slug, closed } = channel;
  await forgetProgress(parts.store, slug);
  const granted = await listGranted(parts.store, slug);
  const revokes = revokesOf(channel, granted, { reason: closed?.reason ?? '', request_id });
  let rests = resting();
  const onBatch = async (ended: number) => {
    if (ended < revokes.length) await rests();
    rests = resting();
  };
  return (await shareAccounts(parts, channel, { revokes }, { requestId: request_id, onBatch })).changed;
}
