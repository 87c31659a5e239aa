import type { EntityType } from '../../domain/records/entity-types';
import { batchesOf, records } from '../records/records';
import type { Window } from './pieces';
import type { Store } from '../store';
import { countRange, type RangeCount } from './count-range';
import type { MayHold, Page } from './page-builder';
import { isOfOneIndex, type PageQuery, readByPositions, readByRange } from './read-by-range';
import { definedOptions, MAX_IN_LIST, type ReadOptions, seekPositions } from './seek-positions';
import type { Selection } from './selection';

export type { Page, Window };

/** A larger backlog becomes several windows, one after the other. */
export const MAX_IN_WINDOW = 100_000;

/** How a window is read: as ranges of positions, or by single positions where most are not the channel's. */
export type WindowRead = 'range' | 'positions';

/** What a plan found in a window, which ends where it holds as many records as were requested. */
export interface Found extends RangeCount {
  /** The rest follows. */
  more: boolean;
  read: WindowRead;
}

/**
 * Counts the channel's records in a window; the cost does not depend on other channels' changes
 * (docs/decisions/0014).
 */
export async function findInWindow(
  store: Store,
  type: EntityType,
  window: Window,
  selection: Selection,
  { most = MAX_IN_WINDOW, ...options }: ReadOptions & { most?: number },
): Promise<Found> {
  const { shared } = selection;
  if (window.upTo <= window.after || shared?.size === 0)
    return { records: 0, to: window.upTo, more: false, read: 'positions', since: null };
  if (!shared) {
    const found = await countRange(store, type, window, selection, { most, ...options });
    const read = isOfOneIndex(selection) || isMost(found, window) ? 'range' : 'positions';
    return { ...found, more: found.to < window.upTo, read };
  }
  const positions = await seekPositions(store, type, window, selection, { most: most + 1, ...options });
  const more = positions.length > most;
  const to = more ? positions[most - 1]! : window.upTo;
  const found = { records: Math.min(most, positions.length), to };
  const since = await changeTimeOf(store, type, positions, options);
  return { ...found, more, read: isMost(found, window) ? 'range' : 'positions', since };
}

const isMost = ({ records, to }: Pick<Found, 'records' | 'to'>, { after }: Window) =>
  records * 2 >= to - after;

/** The change time of the oldest record that has not changed since its position was read. */
async function changeTimeOf(
  store: Store,
  type: EntityType,
  positions: number[],
  options: ReadOptions,
): Promise<Date | null> {
  for (const list of [positions.slice(0, 1), ...batchesOf(positions.slice(1), MAX_IN_LIST)]) {
    const oldest = await records(store, type).findOne(
      { position: { $in: list } },
      { ...definedOptions(options), projection: { updated_at: 1 }, sort: { position: 1 } },
    );
    if (oldest) return oldest.updated_at;
  }
  return null;
}

/** Reads a window's pages in position order, from wherever the marker is. */
export interface WindowReader {
  /**
   * The next page above `after`: `limit` records, or fewer at the window's end or at the limit of bytes; none, with
   * an `end` to move the marker to, over a long range without records of the channel.
   * @param of `upTo` may lie beyond the window's end: what is there is looked up now, and not taken from the plan
   */
  read(after: number, limit: number, of?: { upTo?: number; mayHold?: MayHold }): Promise<Page>;
}

export function openWindow(
  store: Store,
  type: EntityType,
  { window, read, ...query }: PageQuery & { window: Window; read: WindowRead },
): WindowReader {
  const readPage =
    read === 'range' ? readByRange(store, type, query) : readByPositions(store, type, window, query);
  const nobody = query.selection.shared?.size === 0;
  return {
    read: async (after, limit, { upTo = window.upTo, mayHold } = {}) =>
      nobody ? { records: [], end: upTo } : readPage(after, limit, upTo, mayHold),
  };
}

// Smaller steps give a better lower bound; but where accounts are selected, every step queries all of them again.
const AT_ONCE = 20_000;

/** Counts a window of any length, until `signal` aborts. @returns a lower bound unless `complete` */
export async function countWindow(
  store: Store,
  type: EntityType,
  { after, upTo }: Window,
  selection: Selection,
  signal: AbortSignal,
): Promise<{ records: number; complete: boolean }> {
  const options = { most: selection.shared ? MAX_IN_WINDOW : AT_ONCE, signal };
  let records = 0;
  try {
    while (after < upTo) {
      const found = await findInWindow(store, type, { after, upTo }, selection, options);
      records += found.records;
      after = found.to;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return { records, complete: false };
  }
  return { records, complete: true };
}
