import { previewReset, reset, type ResetEffect } from '../../control/reset';
import { formatInstant } from '../../domain/instants';
import { parseStrictJson } from '../../domain/strict-json';
import { listChannelMarkers } from '../../store/markers/list-channel-markers';
import { channelAsker } from '../channel/asker-of';
import { resetRequest } from '../channel/reset-request';
import type { PageDeps } from '../channel/signed-in-state';
import type { ChannelContext } from '../http/route';

/** `GET .../markers`: how far the customer has confirmed, and what is pending (docs/contract.md C17). */
export async function getMarkers(ctx: ChannelContext, { store }: PageDeps): Promise<void> {
  ctx.body = { data: await listChannelMarkers(store, ctx.state.channel) };
}

/** `POST .../markers/{entity_type}/reset`: sends again what changed at or after a time. */
export async function resetMarker(ctx: ChannelContext, deps: PageDeps): Promise<void> {
  const { channel, logged } = ctx.state;
  const { dryRun, ...asked } = resetRequest(channel, {
    entityType: ctx.params['entity_type'],
    dryRun: ctx.query['dry_run'],
    body: parseStrictJson(ctx.state.body),
  });
  const effect = dryRun
    ? await previewReset(deps, channel, asked)
    : ((await reset(deps, channel, asked, channelAsker(ctx.state, deps))) as ResetEffect);
  const answer = { timestamp: formatInstant(asked.timestamp), ...effect.resent, starts: effect.starts };
  Object.assign(logged, { entity_type: asked.entityType, dry_run: dryRun }, answer);
  ctx.body = answer;
}
