import type { EntityType } from '../domain/entity-types';
import { endCatchUpsAt } from './catch-ups';
import { type Channel, pageSizeOf } from './channels';
import type { Store } from './connect';
import { readCeiling } from './counters';
import { resetMarker } from './markers';
import { floorOf } from './records';
import { readSelection } from './selection';
import { countWindow } from './window';

/**
 * Resets a channel's marker of one type to a time (contract 4, commit-order 3). A dry run only counts.
 * @returns what was changed at or after that time and is sent again, and in how many pages
 */
export async function resetChannelMarker(
  store: Store,
  channel: Channel,
  type: EntityType,
  timestamp: Date,
  options: { dryRun: boolean },
): Promise<{ records: number; pages: number }> {
  const floor = await floorOf(store, type, timestamp);
  if (!options.dryRun) {
    await resetMarker(store, channel._id, type, { timestamp, floor });
    if (floor !== undefined) await endCatchUpsAt(store, channel._id, type, floor, channel.shares_version);
  }
  const records = floor === undefined ? 0 : await countAbove(store, channel, type, floor);
  return { records, pages: Math.ceil(records / pageSizeOf(channel, Date.now())) };
}

async function countAbove(store: Store, channel: Channel, type: EntityType, floor: number): Promise<number> {
  const window = { after: floor, upTo: await readCeiling(store, type) };
  return countWindow(store, type, window, await readSelection(store, channel));
}
