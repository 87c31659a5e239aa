import type { EntityType } from '../../domain/records/entity-types';
import type { Store } from '../store';
import { readCeiling, seeNewest } from '../records/counters';
import { firstInRange } from './count-range';
import { records } from '../records/records';
import { Pieces } from './pieces';
import { within } from './seek-positions';

// Change times rise with positions, so a binary search finds one from the other: without an index of its own, and by
// a few short range reads on every server.

/**
 * The position just below the first record changed at or after `since`; undefined when there is none. Everything
 * above was changed at or after `since` too. A record that changes during the search moves above the ceiling and so
 * above every floor.
 */
export async function floorOf(store: Store, type: EntityType, since: Date): Promise<number | undefined> {
  return store.client.withSession({ causalConsistency: true }, async (session) => {
    await seeNewest(store, session);
    let range = { after: 0, upTo: await readCeiling(store, type, session) };
    let floor: number | undefined;
    while (range.after < range.upTo) {
      const middle = Math.floor((range.after + range.upTo) / 2);
      const first = await firstInRange(store, type, { ...range, after: middle }, {}, { session });
      const isLater = first && first.updated_at >= since;
      if (isLater) floor = first.position - 1;
      range = first && !isLater ? { ...range, after: first.position } : { ...range, upTo: middle };
    }
    return floor;
  });
}

/** When the newest record at or below `position` changed; null when there is none. */
export async function changeTimeAt(store: Store, type: EntityType, position: number): Promise<Date | null> {
  const pieces = new Pieces(100);
  for (let upTo = position; upTo > 0;) {
    const piece = pieces.endingAt(upTo);
    const record = await records(store, type).findOne(within(piece), {
      projection: { updated_at: 1 },
      sort: { position: -1 },
    });
    if (record) return record.updated_at;
    upTo = piece.after;
    pieces.grow(4);
  }
  return null;
}
