import type { Filter } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import { type RecordDocument, records } from '../records/records';
import { Pieces, type Window } from './pieces';
import type { Store } from '../store';
import { definedOptions, rangesOf, type ReadOptions, seekPositions, within } from './seek-positions';
import type { Selection } from './selection';

const PIECE = 20_000;

/** A channel's records in a range of positions, counted up to `most`. */
export interface RangeCount {
  records: number;
  /** Where the count ended: at the end of the window, or at the `most`th record when there are more. */
  to: number;
  /** The change time of the oldest; null when there is none. */
  since: Date | null;
}

/** Counts a channel's records in a window by ranges of positions: of all companies, or of the channel's. */
export async function countRange(
  store: Store,
  type: EntityType,
  window: Window,
  selection: Selection,
  { most, ...options }: ReadOptions & { most: number },
): Promise<RangeCount> {
  const first = await firstOf(store, type, window, selection, options);
  if (!first) return { records: 0, to: window.upTo, since: null };
  const since = first.updated_at;
  let counted = 0;
  const pieces = new Pieces(PIECE);
  for (let after = first.position - 1; after < window.upTo;) {
    const piece = pieces.firstOf({ after, upTo: window.upTo });
    const left = most - counted;
    if (left === 0 && (await firstOf(store, type, { after, upTo: window.upTo }, selection, options)))
      return { records: most, to: after, since };
    if (left === 0) break;
    const found = await countPiece(store, type, piece, selection, { limit: left + 1, ...options });
    if (found > left) {
      const cut = await seekPositions(store, type, piece, selection, { most: left, ...options });
      return { records: most, to: cut.at(-1)!, since };
    }
    counted += found;
    after = piece.upTo;
    if (found * 4 < piece.upTo - piece.after) pieces.grow(GROWTH);
  }
  return { records: counted, to: window.upTo, since };
}

async function countPiece(
  store: Store,
  type: EntityType,
  piece: Window,
  selection: Selection,
  { limit, ...options }: ReadOptions & { limit: number },
): Promise<number> {
  let count = 0;
  for (const filter of rangesOf(selection)) {
    if (count === limit) break;
    count += await records(store, type).countDocuments(
      { ...filter, ...within(piece) },
      { ...definedOptions(options), limit: limit - count },
    );
  }
  return count;
}

/** A channel's oldest record in a window. */
async function firstOf(
  store: Store,
  type: EntityType,
  { after, upTo }: Window,
  selection: Selection,
  options: ReadOptions,
): Promise<RecordPosition | undefined> {
  let first: RecordPosition | undefined;
  for (const filter of rangesOf(selection)) {
    const window = { after, upTo: first ? first.position - 1 : upTo };
    first = (await firstInRange(store, type, window, filter, options)) ?? first;
  }
  return first;
}

const FIRST_PIECE = 100;
const GROWTH = 16;

/** A record's position and change time. */
type RecordPosition = Pick<RecordDocument, 'position' | 'updated_at'>;

/** The first record in a range of positions that matches `filter`. */
export async function firstInRange(
  store: Store,
  type: EntityType,
  window: Window,
  filter: Filter<RecordDocument>,
  options: ReadOptions,
): Promise<RecordPosition | undefined> {
  const pieces = new Pieces(FIRST_PIECE);
  for (let { after } = window; after < window.upTo;) {
    const piece = pieces.firstOf({ after, upTo: window.upTo });
    const found = await records(store, type).findOne(
      { ...filter, ...within(piece) },
      { ...definedOptions(options), projection: { position: 1, updated_at: 1 }, sort: { position: 1 } },
    );
    if (found) return found;
    after = piece.upTo;
    pieces.grow(GROWTH);
  }
  return undefined;
}
