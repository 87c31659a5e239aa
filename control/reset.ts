import { Type } from '@sinclair/typebox';
import type { EntityType } from '../domain/records/entity-types';
import { formatInstant } from '../domain/time/instants';
import { type Resent, describeResent } from '../domain/records/count';
import { floorOf } from '../store/window/change-times';
import { readMarkers } from '../store/markers/markers';
import { countForReset, resetChannelMarker } from '../store/markers/reset-channel-marker';
import { aCount, anInstant, maybeCount, startsAt } from './answers';
import { deed } from './deed';
import { carriedType, pastInstant } from './fields';
import { recordAction } from './record-action';
import { reachesTemporal, startOf } from './start-of';

/** What is sent again, and when its first page leaves, as `startOf` says it. */
interface ResetEffect {
  resent: Resent;
  starts: string;
}

// Counting is a courtesy: the pages do not wait for it, and the caller not for long.
const COUNT = { withinMs: 2_000 };

/** Sends again what changed at or after a time (docs/contract.md C15). */
export const reset = deed<ResetEffect>()({
  name: 'reset',
  input: { entity_type: carriedType('Which marker.'), timestamp: pastInstant() },
  api: {
    id: 'resetMarker',
    tag: 'markers',
    path: '/markers/:entity_type/reset',
    maxBodyBytes: 64 * 1024,
    emptyBody: '{}',
    summary: 'Get records again',
    description:
      'Sends every shared record changed at or after the timestamp again. The marker only moves back: a later ' +
      'timestamp never skips what you have not confirmed. It holds from the next page on, even while a run is in flight.',
    body: ['MarkerResetRequest', 'From when on.', { sample: { timestamp: '2026-10-01T00:00:00Z' } }],
    answer: [
      'MarkerReset',
      'What is sent again.',
      { sample: { timestamp: '2026-10-01T00:00:00.000Z', records: 12304, pages: 13, starts: 'now' } },
    ],
  },
  output: Type.Object({
    timestamp: anInstant('The time asked for, in UTC.'),
    records: maybeCount('How many records are sent again; null where counting was cut off.'),
    pages: maybeCount('In how many pages; null likewise.'),
    at_least: Type.Optional(aCount('Where counting was cut off: how many records there are at least.')),
    starts: startsAt(),
  }),
  gdx: {
    words: ['marker', 'reset'],
    says: 'send again what changed at or after a time',
  },
  sends: {
    verb: 'resend',
    what: ({ entity_type }, { resent }) => describeResent(entity_type, resent),
    nothing: ({ name }, { resent }) =>
      resent.records === 0 && `Nothing that ${name} gets has changed since then: nothing would be resent.`,
  },
  page: {
    doors: ['operator', 'channel'],
    title: 'Reset a marker',
    says: 'Sends again what has changed since a time. The next page says how much that is, and asks.',
    done: 'Reset a marker',
    asks: {
      open: 'See what would be resent',
      title: ({ entity_type }) => `Reset ${entity_type}`,
      button: 'Reset and resend',
    },
  },

  async preview(parts, channel, { entity_type: type, timestamp }): Promise<ResetEffect> {
    const floor = await floorOf(parts.store, type, timestamp);
    const reached = reachesTemporal(parts);
    const resent = await countForReset(parts.store, channel, type, floor, COUNT);
    return { resent, starts: await startOf(parts, channel, type, await reached) };
  },

  // The marker moves, then the workflow is signalled, then the records are counted, unless a preview has.
  async run(parts, channel, { entity_type: type, timestamp }, asker, previewed) {
    const { _id: slug } = channel;
    const at = formatInstant(timestamp);
    const marker = (await readMarkers(parts.store, slug)).get(type);
    const before = { position: marker?.position ?? null };
    const action = { action: 'reset', channel: slug, about: `${type} from ${at}`, before } as const;
    return recordAction(parts, asker, action, async () => {
      const floor = await resetChannelMarker(parts.store, channel, type, timestamp);
      const change = { entity_types: [type], timestamp: at, request_id: asker.request_id };
      const signalled = await parts.temporal.markerReset(slug, change);
      const starts = await startOf(parts, channel, type, signalled);
      const resent = previewed?.resent ?? (await countForReset(parts.store, channel, type, floor, COUNT));
      return { outcome: outcomeOf(type, resent, starts), signalled, resent, starts };
    });
  },

  answer: ({ timestamp }, { resent, starts }) => ({ timestamp: formatInstant(timestamp), ...resent, starts }),
});

const outcomeOf = (type: EntityType, resent: Resent, starts: string) =>
  `Resends ${describeResent(type, resent)}.${sayStart(starts)}`;

function sayStart(starts: string): string {
  if (starts === 'now') return '';
  if (starts === 'paused') return ' They are sent when the channel is resumed.';
  if (starts === 'next_run')
    return ' Temporal does not answer: the reset holds all the same, and the next run honours it.';
  return ` They are sent from ${starts} on: the customer asked for the wait.`;
}
