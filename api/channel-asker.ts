import { randomUUID } from 'node:crypto';
import type { Asker } from '../control/record-action';
import { endOfCustomersAction } from './end-of-customers-action';
import type { ChannelContext, Deps } from './route';

/** A customer who acts through the API. Its actions are kept for a time only, as it can act as often as the rate allows. */
export function channelAsker(
  { channel, requestId: request_id }: Pick<ChannelContext['state'], 'channel' | 'requestId'>,
  deps: Pick<Deps, 'ops'>,
): Asker {
  const expires_at = endOfCustomersAction(deps);
  return { by: channel.name, via: 'API', reason: null, request_id, action_id: randomUUID(), expires_at };
}
