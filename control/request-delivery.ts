import type { Channel } from '../store/channels/channels';
import { type Asker, type Parts, recordAction, type Result } from './record-action';

/** The channel is paused: nothing is recorded, nothing is done. */
export class ChannelPaused extends Error {
  override name = 'ChannelPaused';
  constructor(readonly reason: string) {
    super(reason);
  }
}

/**
 * Runs now instead of at the next due time, and cuts waits short, even the customer's own Retry-After.
 * @throws ChannelPaused
 */
export async function requestDelivery(
  parts: Parts,
  { _id: slug, state, paused }: Channel,
  asker: Asker,
): Promise<Result | undefined> {
  if (state === 'paused') throw new ChannelPaused(paused?.reason ?? 'no reason given');
  return recordAction(parts, asker, { action: 'deliver', channel: slug, before: {} }, async () => {
    const signalled = await parts.temporal.deliverNow(slug, { request_id: asker.request_id });
    const outcome = signalled
      ? 'It runs now.'
      : 'Temporal does not answer: it runs when Temporal is back and it is due.';
    return { outcome, signalled };
  });
}
