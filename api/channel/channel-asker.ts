import { randomUUID } from 'node:crypto';
import type { Asker } from '../../control/record-action';
import type { ChannelContext } from '../http/route';
import type { PageDeps } from './signed-in-state';
import { DAY_MS } from '../../domain/spans';

/** A customer who acts through the API. Its actions are kept for a time only, as it can act as often as the rate allows. */
export function channelAsker(
  { channel, requestId: request_id }: Pick<ChannelContext['state'], 'channel' | 'requestId'>,
  deps: Pick<PageDeps, 'pages'>,
): Asker {
  const expires_at = endOfCustomersAction(deps);
  return { by: channel.name, via: 'API', reason: null, request_id, action_id: randomUUID(), expires_at };
}

/** When the record of a customer's action expires: with the reports of failed deliveries. */
export const endOfCustomersAction = ({ pages }: Pick<PageDeps, 'pages'>) =>
  new Date(Date.now() + pages.retentionDays * DAY_MS);
