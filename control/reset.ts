import type { EntityType } from '../domain/entity-types';
import { formatInstant } from '../domain/instants';
import { type Resent, describeResent } from '../domain/count';
import type { Channel } from '../store/channels/channels';
import { floorOf } from '../store/window/change-times';
import { readMarkers } from '../store/markers/markers';
import { countForReset, resetChannelMarker } from '../store/markers/reset-channel-marker';
import { type Asker, type Parts, recordAction, type Result } from './record-action';
import { startOf } from './start-of';

/** Which marker goes back, and to when. */
export interface Reset {
  entityType: EntityType;
  timestamp: Date;
}

/** What is sent again, and when its first page leaves, as `startOf` says it. */
export interface ResetEffect {
  resent: Resent;
  starts: string;
}

// Counting is a courtesy: the pages do not wait for it, and the caller not for long.
const COUNT = { withinMs: 2_000 };

/**
 * Sends again what changed at or after a time. The marker moves, then the workflow is signalled, then the records are
 * counted, for 2 s at most.
 * @param counted by a preview: it is not counted again
 * @throws TooManyActions
 */
export async function reset(
  parts: Parts,
  channel: Channel,
  { entityType, timestamp }: Reset,
  asker: Asker,
  counted?: Resent,
): Promise<(Result & ResetEffect) | undefined> {
  const { _id: slug } = channel;
  const at = formatInstant(timestamp);
  const marker = (await readMarkers(parts.store, slug)).get(entityType);
  const before = { position: marker?.position ?? null };
  const action = { action: 'reset', channel: slug, about: `${entityType} from ${at}`, before } as const;
  return recordAction(parts, asker, action, async () => {
    const floor = await resetChannelMarker(parts.store, channel, entityType, timestamp);
    const { request_id } = asker;
    const change = { entity_types: [entityType], timestamp: at, request_id };
    const signalled = await parts.temporal.markerReset(slug, change);
    const starts = await startOf(parts, channel, entityType, signalled);
    const resent = counted ?? (await countForReset(parts.store, channel, entityType, floor, COUNT));
    const outcome = `Resends ${describeResent(entityType, resent)}.${sayStart(starts)}`;
    return { outcome, signalled, resent, starts };
  });
}

/** What a reset would do. Changes nothing and is not recorded. */
export async function previewReset(
  parts: Parts,
  channel: Channel,
  { entityType, timestamp }: Reset,
): Promise<ResetEffect> {
  const floor = await floorOf(parts.store, entityType, timestamp);
  const reached = parts.temporal.ping().then(
    () => true,
    () => false,
  );
  const resent = await countForReset(parts.store, channel, entityType, floor, COUNT);
  return { resent, starts: await startOf(parts, channel, entityType, await reached) };
}

function sayStart(starts: string): string {
  if (starts === 'now') return '';
  if (starts === 'paused') return ' They are sent when the channel is resumed.';
  if (starts === 'next_run')
    return ' Temporal does not answer: the reset holds all the same, and the next run honours it.';
  return ` They are sent from ${starts} on: the customer asked for the wait.`;
}
