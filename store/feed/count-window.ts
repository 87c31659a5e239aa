import type { EntityType } from '../../domain/entity-types';
import type { Store } from '../store';
import type { Selection } from './selection';
import { findInWindow, MAX_IN_WINDOW, type Window } from './window';

/** The number of records; a lower bound unless `complete`. */
export interface WindowCount {
  records: number;
  complete: boolean;
}

// Smaller steps give a better lower bound; but where accounts are selected, every step queries all of them again.
const AT_ONCE = 20_000;

/** Counts a window of any length, until `signal` aborts. */
export async function countWindow(
  store: Store,
  type: EntityType,
  { after, upTo }: Window,
  selection: Selection,
  signal: AbortSignal,
): Promise<WindowCount> {
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
