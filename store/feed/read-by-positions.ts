import type { EntityType } from '../../domain/entity-types';
import type { Store } from '../store';
import { PageBuilder, type ReadPage } from './page-builder';
import type { PageQuery } from './read-by-range';
import { readPageRecords } from './read-page-records';
import { MAX_IN_LIST, seekPositions, type Window } from './seek-positions';

// 0.8 MB of positions.
const MAX_CACHED = 100_000;

/**
 * Reads pages by a cached list of positions. A record that has changed since has left its position: it is not found,
 * and the page is filled from the following ones.
 */
export function readByPositions(store: Store, type: EntityType, window: Window, query: PageQuery): ReadPage {
  let cached: Window & { positions: number[] } = { after: 0, upTo: 0, positions: [] };

  async function cachedFrom(after: number, upTo: number) {
    if (cached.after <= after && after < cached.upTo) return cached;
    // Positions beyond the window's end are sought only when the end is reached.
    const sought = { after, upTo: after < window.upTo ? window.upTo : upTo };
    const positions = await seekPositions(store, type, sought, query.selection, {
      ...query,
      most: MAX_CACHED,
    });
    const end = positions.length === MAX_CACHED ? positions.at(-1)! : sought.upTo;
    return (cached = { after, upTo: end, positions });
  }

  return async (after, limit, upTo, mayHold) => {
    const page = new PageBuilder(after, limit, mayHold);
    while (page.end < upTo && !page.isEmptySince(after)) {
      const known = await cachedFrom(page.end, upTo);
      const begin = firstAbove(known.positions, page.end);
      const most = Math.min(MAX_IN_LIST, page.wanted);
      const list = known.positions.slice(begin, begin + most).filter((position) => position <= upTo);
      if (list.length > 0) {
        const size = { limit: list.length, batch: list.length };
        const found = readPageRecords(store, type, { position: { $in: list } }, { ...query, ...size });
        if (await page.fill(found)) return page;
      }
      page.end = list.length < most ? Math.min(known.upTo, upTo) : list.at(-1)!;
    }
    return page;
  };
}

/** The index of the first of rising positions above `after`. */
function firstAbove(positions: number[], after: number): number {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positions[middle]! > after) high = middle;
    else low = middle + 1;
  }
  return low;
}
