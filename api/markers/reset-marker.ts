import type { Bell } from '../../bell/bell';
import { formatInstant } from '../../domain/instants';
import { parseStrictJson } from '../../domain/strict-json';
import type { Channel } from '../../store/channels';
import { resetChannelMarker } from '../../store/reset-channel-marker';
import { markerReset } from '../../workflows/messages';
import type { ChannelContext, Deps } from '../route';
import { resetRequest, type ResetRequest } from './reset-request';

/** `POST .../markers/{entity_type}/reset`: sends again what changed at or after a time (contract 4). */
export async function resetMarker(ctx: ChannelContext, { store, bell }: Deps): Promise<void> {
  const { channel, requestId, logged } = ctx.state;
  const reset = resetRequest(channel, {
    entityType: ctx.params['entity_type'],
    dryRun: ctx.query['dry_run'],
    body: parseStrictJson(ctx.state.body),
  });
  const resent = await resetChannelMarker(store, channel, reset.entityType, reset.timestamp, reset);
  const heard = await wake(bell, channel, reset, requestId);
  const answer = { timestamp: formatInstant(reset.timestamp), ...resent, starts: heard ? 'now' : 'next_run' };
  Object.assign(logged, { entity_type: reset.entityType, dry_run: reset.dryRun }, answer);
  ctx.body = answer;
}

// The reset holds without Temporal; whether the bell was heard only says when it is honoured (contract 4).
async function wake(bell: Bell, channel: Channel, reset: ResetRequest, request_id: string): Promise<boolean> {
  if (channel.state === 'paused') return false;
  if (reset.dryRun) {
    return bell.ping().then(
      () => true,
      () => false,
    );
  }
  const { entityType: entity_type, timestamp } = reset;
  return bell.ring(channel._id, markerReset, {
    entity_type,
    timestamp: formatInstant(timestamp),
    request_id,
  });
}
