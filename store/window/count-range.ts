import type { Filter } from 'mongodb';
import type { EntityType } from '../../domain/entity-types';
import { type RecordDocument, records } from '../records/records';
import type { Store } from '../store';
import {
  definedOptions,
  rangesOf,
  type ReadOptions,
  seekPositions,
  type Window,
  within,
} from './seek-positions';
import type { Selection } from './selection';

const PIECE = 20_000;

/** A channel's records in a range of positions, counted up to `most`. */
interface RangeCount {
  records: number;
  /** Where the count ended: at the end of the window, or at the `most`th record when there are more. */
  to: number;
  /** The change time of the oldest. */
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
  let span = PIECE;
  for (let after = first.position - 1; after < window.upTo;) {
    const piece = { after, upTo: Math.min(window.upTo, after + span) };
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
    if (found * 4 < span) span *= GROWTH;
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
  for (const filter of rangesOf(selection))
    count += await records(store, type).countDocuments(
      { ...filter, ...within(piece) },
      { ...definedOptions(options), limit },
    );
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

// Some servers scan a whole range before they return its first record, so ranges are read in pieces, which grow over
// gaps: without a limit, as after years of pushes by others a channel's next record may lie 10^10 positions away.
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
  let span = FIRST_PIECE;
  for (let { after } = window; after < window.upTo;) {
    const piece = { after, upTo: Math.min(window.upTo, after + span) };
    const found = await records(store, type).findOne(
      { ...filter, ...within(piece) },
      { ...definedOptions(options), projection: { position: 1, updated_at: 1 }, sort: { position: 1 } },
    );
    if (found) return found;
    after = piece.upTo;
    span *= GROWTH;
  }
  return undefined;
}
