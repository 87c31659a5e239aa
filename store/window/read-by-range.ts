import type { ClientSession } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import { ofCompanies, type RecordDocument } from '../records/records';
import { Pieces, type Window } from './pieces';
import type { Store } from '../store';
import { PageBuilder, type ReadPage, readPageRecords, STRETCH } from './page-builder';
import { MAX_IN_LIST, type ReadOptions, seekPositions, within } from './seek-positions';
import { isSelected, type Selection } from './selection';

export interface PageQuery extends ReadOptions {
  selection: Selection;
  /** The expected number of positions per page: the length of the first piece. */
  span: number;
  session: ClientSession;
}

/** Whether an index holds the records of a selection, and no others, in position order. */
export const isOfOneIndex = ({ companies, shared }: Selection): boolean => !shared && companies.length < 2;

/** Reads pages as ranges of positions. Other channels' records are filtered here, unless an index excludes them. */
export function readByRange(store: Store, type: EntityType, query: PageQuery): ReadPage {
  const { companies } = query.selection;
  const isOurs = (record: Pick<RecordDocument, 'company_id' | 'position' | 'account_ids'>) =>
    (companies.length < 2 || companies.includes(record.company_id)) && isSelected(query.selection, record);
  const pieces = new Pieces(query.span);
  const isExact = isOfOneIndex(query.selection);
  const ours = companies.length === 1 ? ofCompanies({ companies }) : {};
  return async (after, limit, upTo, mayHold) => {
    const page = new PageBuilder(after, limit, mayHold);
    while (page.end < upTo) {
      const piece = pieces.firstOf({ after: page.end, upTo });
      const size = { limit: isExact ? page.wanted : 0, batch: page.wanted };
      const found = readPageRecords(store, type, { ...ours, ...within(piece) }, { ...query, ...size });
      if (await page.fill(found, isExact ? undefined : isOurs)) break;
      page.end = piece.upTo;
      pieces.grow(4, isExact ? Infinity : STRETCH);
      if (page.isEmptySince(after)) return page;
    }
    pieces.restart();
    return page;
  };
}

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
