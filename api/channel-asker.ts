import { randomUUID } from 'node:crypto';
import type { Asker } from '../control/record-action';
import type { ChannelContext, Deps } from './route';

const DAY_MS = 24 * 3_600_000;

/** A customer who acts through the API. Its actions are kept for a time only, as it can act as often as the rate allows. */
export function channelAsker(
  { channel, requestId: request_id }: Pick<ChannelContext['state'], 'channel' | 'requestId'>,
  { ops }: Pick<Deps, 'ops'>,
): Asker {
  const expires_at = new Date(Date.now() + ops.retentionDays * DAY_MS);
  return { by: channel.name, via: 'API', reason: null, request_id, action_id: randomUUID(), expires_at };
}
