import { previewReset, reset, type ResetEffect } from '../../control/reset';
import { formatInstant } from '../../domain/instants';
import { parseStrictJson } from '../../domain/strict-json';
import { channelAsker } from '../channel-asker';
import type { ChannelContext, Deps } from '../route';
import { resetRequest } from './reset-request';

/** `POST .../markers/{entity_type}/reset`: sends again what changed at or after a time. */
export async function resetMarker(ctx: ChannelContext, deps: Deps): Promise<void> {
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
