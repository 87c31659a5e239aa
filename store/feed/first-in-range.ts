import type { Filter } from 'mongodb';
import type { EntityType } from '../../domain/entity-types';
import type { Store } from '../store';
import { records, type RecordDocument } from '../push/records';
import { definedOptions, type ReadOptions, type Window, within } from './seek-positions';

// Some servers scan a whole range before they return its first record, so ranges are read in pieces, which grow over
// gaps.
const FIRST_PIECE = 100;
export const MAX_IN_PIECE = 320_000;

/** A record's position and change time. */
export type RecordPosition = Pick<RecordDocument, 'position' | 'updated_at'>;

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
    span = Math.min(span * 4, MAX_IN_PIECE);
  }
  return undefined;
}
