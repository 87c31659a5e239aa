import { msSince } from '../../domain/time/elapsed';
import { beganAt, lateAfter, type LateNow, type Lateness } from '../../domain/deliveries/lateness';
import type { EntityType } from '../../domain/records/entity-types';
import { type CatchUp, isCatchUp, remainingOf } from './catch-ups';
import { type Channel, slugRange } from '../channels/channels';
import type { Store } from '../store';
import { readCeilings } from '../records/counters';
import { type Marker, markerId, markers } from './markers';

/** The unconfirmed records of a channel and entity type. */
export interface Backlog {
  channel: string;
  entity_type: EntityType;
  /** Catch-ups included. Of a long backlog, only those in the planned window. */
  records: number;
  /** Since when the oldest planned change waits, catch-ups excluded; null when none waits. */
  since: Date | null;
  /** Of the changes that wait, those that are late. */
  late: LateNow;
  /** How late the confirmed changes were. */
  lateness: Lateness | undefined;
}

const MISSED_RUNS = 2;

/**
 * One row per channel and entity type, from what plans have found, so that the number of queries does not depend on
 * the backlog.
 */
export async function listBacklogs(store: Store, channels: Channel[]): Promise<Backlog[]> {
  const ceilings = await readCeilings(store);
  const { own, earlier } = await readAllMarkers(store, channels);
  const rows: Backlog[] = [];
  for (const channel of channels) {
    for (const type of channel.entity_types) {
      const id = markerId(channel._id, type);
      const marker = own.get(id);
      const later = backlogOf(channel, marker, ceilings[type]);
      const records = later.records + (earlier.get(id) ?? 0);
      rows.push({
        ...{ channel: channel._id, entity_type: type, records, since: later.since },
        late: lateOf(channel, marker, ceilings[type]),
        lateness: marker?.lateness,
      });
    }
  }
  return rows;
}

/** The channels' own markers, and by the ids of these what is left of their catch-ups. */
async function readAllMarkers(store: Store, channels: Channel[]) {
  const own = new Map<string, Marker>();
  const earlier = new Map<string, number>();
  for await (const marker of markers(store).find<Marker | CatchUp>({ channel: slugRange(channels) })) {
    const id = markerId(marker.channel, marker.entity_type);
    if (isCatchUp(marker)) earlier.set(id, (earlier.get(id) ?? 0) + remainingOf(marker));
    else own.set(id, marker);
  }
  return { own, earlier };
}

/** What the last plan found above the marker, minus what was confirmed since. Reads no record. */
function backlogOf(
  channel: Channel,
  marker: Marker | undefined,
  ceiling: number,
): Pick<Backlog, 'records' | 'since'> {
  const position = marker?.position ?? 0;
  const found = marker?.found;
  const reset = marker?.last_reset?.at;
  if (found && position < found.to) {
    if (found.records <= 0) return { records: 0, since: null };
    // Records that a reset sends again, or that a new channel begins with, have waited only since then.
    const since = latest(found.since, marker.timestamp, reset, beganAt(channel, marker));
    return { records: found.records, since };
  }
  // Changed since the last plan. When plans have stopped, changes may have waited since the last one.
  const seen = lastSeen(channel, marker);
  const isOverdue = ceiling > position && msSince(seen) > MISSED_RUNS * channel.cadence_ms;
  return { records: 0, since: isOverdue ? seen : null };
}

const lastSeen = (channel: Channel, marker: Marker | undefined) =>
  latest(
    ...[marker?.found?.at, marker?.delivered_at, marker?.last_reset?.at],
    ...[channel.fresh_at, beganAt(channel, marker)],
  );

/**
 * The late changes, apart from those that the customer keeps waiting (docs/contract.md O26). Changes that no plan has counted
 * yet count as one.
 */
function lateOf(channel: Channel, marker: Marker | undefined, ceiling: number): LateNow {
  const { position = 0, high = position, found } = marker ?? {};
  const isResent = position < high;
  if (channel.state === 'paused' || channel.delivery === 'pull' || isResent || ceiling <= position)
    return NONE;
  const isFound = found !== undefined && position < found.to;
  if (isFound && (found.records <= 0 || !found.since || found.since < beganAt(channel, marker))) return NONE;
  const stored = isFound ? found.since : lastSeen(channel, marker);
  const since = latest(stored, marker?.held_until, channel.resumed_at);
  if (msSince(since) <= lateAfter(channel.cadence_ms)) return NONE;
  return { records: isFound ? found.records : 1, since };
}

const NONE: LateNow = { records: 0, since: null };

const latest = (...instants: (Date | null | undefined)[]) =>
  new Date(Math.max(...instants.map((instant) => instant?.getTime() ?? 0)));
