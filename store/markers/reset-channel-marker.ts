import { msNow, timeNow } from '../../domain/time/elapsed';
import type { EntityType } from '../../domain/records/entity-types';
import type { Resent } from '../../domain/records/count';
import { changeTimeAt, floorOf } from '../window/change-times';
import { type Channel, pageSizeOf } from '../channels/channels';
import type { Store } from '../store';
import { countWindow } from '../window/window';
import { readCeiling } from '../records/counters';
import { markerId, markers, startMarker } from './markers';
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
  return floor;
}

/**
 * A reset: the update that moves the marker back, never forward, and fences off every open delivery
 * (docs/architecture.md#commit-order, rule 3). Without a floor nothing is sent again and the marker stays.
 */
export async function moveMarkerBack(
  store: Store,
  channel: string,
  type: EntityType,
  reset: { timestamp: Date; floor: number | undefined },
): Promise<void> {
  await startMarker(store, channel, type, 0);
  const id = markerId(channel, type);
  const last_reset = { timestamp: reset.timestamp, at: timeNow() };
  if (reset.floor === undefined) {
    await markers(store).updateOne({ _id: id }, { $set: { last_reset } });
    return;
  }
  const timestamp = await changeTimeAt(store, type, reset.floor);
  await markers(store).updateOne(
    { _id: id },
    {
      $min: { position: reset.floor, timestamp },
      $set: { last_reset },
      $inc: { generation: 1, epoch: 1 },
      $unset: { found: 1, stumble: 1, short: 1 },
    },
  );
  // Only now: a digest between the two must not count on what the marker has not passed again.
  await markers(store).updateOne({ _id: id, began: { $gt: reset.floor } }, { $set: { began: reset.floor } });
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
  return { records, pages: Math.ceil(records / pageSizeOf(channel, type, msNow())) };
}
