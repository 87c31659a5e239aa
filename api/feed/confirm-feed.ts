import { parseStrictJson } from '../../domain/strict-json';
import { HttpError, invalid } from '../http-error';
import type { ChannelContext, Deps } from '../route';
import { takeConfirmation } from './next-page';
import { requirePulled } from './require-pulled';

/** `POST .../feed/confirm`: the page is the customer's, and the marker moves past it (docs/contract.md C20). */
export async function confirmFeed(ctx: ChannelContext, { store, temporal }: Deps): Promise<void> {
  const { channel, requestId, body } = ctx.state;
  const page = pageOf(parseStrictJson(body));
  requirePulled(channel);
  if (!(await takeConfirmation({ store, temporal }, { channel, page, requestId })))
    throw new HttpError('PAGE_NOT_WAITING', 'This page does not wait here, or no longer: get the next page.');
  ctx.status = 204;
}

const MOST_CHARACTERS = 128;

function pageOf(body: unknown): string {
  const page = typeof body === 'object' && body !== null ? (body as { page?: unknown }).page : undefined;
  if (page === undefined || page === null) throw invalid({ page: ['is required'] });
  if (typeof page === 'string' && page.length > 0 && page.length <= MOST_CHARACTERS) return page;
  throw invalid({ page: ['must be the webhook-id of the page'] });
}
