import { MessageCollector } from '../../domain/validation-messages';
import { entityTypeOf } from '../entity-type-of';
import { invalid } from '../http-error';
import type { ChannelContext, Deps } from '../route';
import { nextPage } from './next-page';
import { requirePulled } from './require-pulled';

/** `GET .../feed`: the next page, exactly as it would be posted (docs/contract.md C20). 204: there is none. */
export async function getFeed(ctx: ChannelContext, { store, temporal }: Deps): Promise<void> {
  const { channel, requestId, logged } = ctx.state;
  const found = new MessageCollector();
  const entityType = entityTypeOf(channel, ctx.query['entity_type'], found);
  if (!entityType) throw invalid(found.messages());
  requirePulled(channel);
  logged['entity_type'] = entityType;
  const page = await nextPage({ store, temporal }, { channel, entityType, requestId });
  if (!page) {
    ctx.status = 204;
    return;
  }
  const { 'x-request-id': _, ...headers } = page.headers; // this request has its own
  ctx.set(headers);
  ctx.body = page.body;
}
