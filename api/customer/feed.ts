import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { parseStrictJson } from '../../domain/records/strict-json';
import { MessageCollector } from '../../domain/records/validation-messages';
import type { Channel } from '../../store/channels/channels';
import { confirmWaitingPage } from '../../store/markers/confirm-waiting-page';
import { entityTypeOf } from '../http/entity-type-of';
import { HttpError, invalid } from '../http/http-error';
import { BYTES_OF_REQUEST, type ChannelContext, type Deps } from '../http/route';
import { createByteBudget } from '../limits/byte-budget';
import { whenSentOrGone } from '../limits/when-sent-or-gone';
import { nextPage } from './next-page';

const MIB = 1024 * 1024;
// A page is held as stored and as sent until the customer has read it. The largest takes 31 MiB.
const pagesGivenOut = createByteBudget(128 * MIB, 64 * MIB);

/** `GET .../feed`: the next page, exactly as it would be posted (docs/contract.md C20). 204: there is none. */
export async function getFeed(ctx: ChannelContext, { store, temporal }: Deps): Promise<void> {
  const { channel, requestId, logged, charge, authenticate } = ctx.state;
  const found = new MessageCollector();
  const entityType = entityTypeOf(channel, ctx.query['entity_type'], found);
  if (!entityType) throw invalid(found.messages());
  requirePulled(channel);
  logged['entity_type'] = entityType;
  const lease = pagesGivenOut.lease(channel._id);
  whenSentOrGone(ctx.res, () => lease.release());
  const page = await nextPage({ store, temporal }, { channel: channel._id, entityType, requestId, lease });
  await authenticate?.(); // the question may have waited longer than its key was good for
  if (!page) {
    ctx.status = 204;
    return;
  }
  await charge?.(page.body.length / BYTES_OF_REQUEST);
  const { 'x-request-id': _, ...headers } = page.headers; // this request has its own
  ctx.set(headers);
  ctx.body = page.body;
}

/**
 * `POST .../feed/confirm`: the customer confirms a page, and the marker moves past it (docs/contract.md C20).
 * A signal has the next page laid out at once. If it is lost, the customer's next question sends another.
 * @throws HttpError 409: PAGE_NOT_WAITING, CHANNEL_PUSHED, CHANNEL_PAUSED
 */
export async function confirmFeed(ctx: ChannelContext, { store, temporal }: Deps): Promise<void> {
  const { channel, requestId, body, logged } = ctx.state;
  const page = pageOf(parseStrictJson(body));
  requirePulled(channel);
  const entityType = await confirmWaitingPage(store, channel._id, page);
  if (!entityType)
    throw new HttpError('PAGE_NOT_WAITING', 'No such page waits to be confirmed now: get the next page.');
  logged['entity_type'] = entityType;
  void temporal.pageAskedFor(channel._id, { entity_types: [entityType], request_id: requestId });
  ctx.status = 204;
}

/** The body of a confirmation. */
export const PAGE_CONFIRMATION = Type.Object({
  page: Type.String({ minLength: 1, maxLength: 128, description: 'The `webhook-id` of the page.' }),
});

function pageOf(body: unknown): string {
  const page = typeof body === 'object' && body !== null ? (body as { page?: unknown }).page : undefined;
  if (page === undefined || page === null) throw invalid({ page: ['is required'] });
  if (Value.Check(PAGE_CONFIRMATION.properties.page, page)) return page;
  throw invalid({ page: ['must be the webhook-id of the page'] });
}

/** @throws HttpError CHANNEL_PUSHED, CHANNEL_PAUSED */
function requirePulled({ delivery, state }: Channel): void {
  if (delivery !== 'pull')
    throw new HttpError(
      'CHANNEL_PUSHED',
      'The pages of this channel are posted to you. Ask the operator to let you collect them.',
    );
  if (state === 'paused')
    throw new HttpError('CHANNEL_PAUSED', 'The channel is paused. Ask the operator why.');
}
