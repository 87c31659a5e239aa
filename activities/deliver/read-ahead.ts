import { setTimeout } from 'node:timers/promises';
import { RECORD_BYTES } from '../../customer/page-budget';
import { MAX_BYTES } from '../../store/window/page-builder';
import type { Page } from '../../store/window/window';
import type { Cursor, PageAhead } from './cursor';
import { budgetOf, type DeliverySlice, isSpent } from './slice';

// A faster answer leaves no time to read ahead, and two pages in memory would be for nothing.
const BEGIN_AFTER_MS = 20;

/**
 * Reads the page after the one in flight, which ends at `after`, if there is room for both at once
 * (docs/decisions/0034). Not before the customer has confirmed a page in this slice: most who refuse, or are away, refuse
 * the first one.
 * @param answered aborts when the page in flight is answered
 */
export async function readAhead(
  slice: DeliverySlice,
  cursor: Cursor,
  after: number,
  answered: AbortSignal,
): Promise<void> {
  if (after >= cursor.to || slice.tally.last === null || isSpent(slice, 1)) return;
  await setTimeout(BEGIN_AFTER_MS, undefined, { signal: answered }).catch(() => {});
  if (answered.aborted) return;
  const lease = budgetOf(slice).takeIfFree(expectedBytes(slice, cursor));
  if (!lease) return;
  let fits = true;
  const mayHold = (bytes: number) => (fits &&= lease.growTo(bytes));
  try {
    const page = await cursor.reader.read(after, slice.input.page_size, { mayHold });
    lease.shrinkTo(bytesOf(page));
    if (fits) cursor.ahead = { page, lease };
  } catch {
    // read again when its turn comes: what is wrong shows then
  } finally {
    if (!cursor.ahead) lease.end();
  }
}

/** The page that was read ahead. Its lease is the caller's to end. */
export function takeAhead(cursor: Cursor): PageAhead | undefined {
  const { ahead } = cursor;
  delete cursor.ahead;
  return ahead;
}

export const dropAhead = (cursor: Cursor) => takeAhead(cursor)?.lease.end();

/** The expected size of a page, by those before it; at most that at which every page ends. */
export function expectedBytes({ input }: DeliverySlice, { progress: { records, bytes } }: Cursor): number {
  return Math.min(MAX_BYTES, input.page_size * (records > 0 ? bytes / records : RECORD_BYTES));
}

export const bytesOf = ({ records }: Page) => records.reduce((sum, { wire }) => sum + wire.length, 0);
