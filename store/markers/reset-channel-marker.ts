import type { EntityType } from '../../domain/entity-types';
import type { Resent } from '../../domain/count';
import { endCatchUpsAt } from './catch-ups';
import { floorOf } from '../window/change-times';
import { type Channel, pageSizeOf } from '../channels/channels';
import type { Store } from '../store';
import { countWindow } from '../window/window';
import { readCeiling } from '../records/counters';
import { moveMarkerBack } from './markers';
import { readSelection } from '../window/selection';

/**
 * Resets a channel's marker of one type to a time. Counts nothing, so its duration does not depend on the number of
 * records.
 * @returns the position above which everything is sent again; undefined when nothing is
 */
export async function resetChannelMarker(
  store: Store,
  channel: Channel,
  type: EntityType,
  timestamp: Date,
): Promise<number | undefined> {
  const floor = await floorOf(store, type, timestamp);
  await moveMarkerBack(store, channel._id, type, { timestamp, floor });
  if (floor !== undefined) await endCatchUpsAt(store, channel._id, type, floor, channel.shares_version);
  return floor;
}

/** Counts what a reset sends again. Called after the workflow was signalled, so that the pages do not wait for it. */
export async function countForReset(
  store: Store,
  channel: Channel,
  type: EntityType,
  floor: number | undefined,
  { withinMs }: { withinMs: number },
): Promise<Resent> {
  if (floor === undefined) return { records: 0, pages: 0 };
  const signal = AbortSignal.timeout(withinMs);
  const window = { after: floor, upTo: await readCeiling(store, type) };
  const selection = await readSelection(store, channel, type);
  const { records, complete } = await countWindow(store, type, window, selection, signal);
  if (!complete) return { records: null, pages: null, at_least: records };
  return { records, pages: Math.ceil(records / pageSizeOf(channel, Date.now())) };
}
