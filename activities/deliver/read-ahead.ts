import { setTimeout } from 'node:timers/promises';
import { RECORD_BYTES } from '../../outbound/page-budget';
import { MAX_BYTES } from '../../store/window/page-builder';
import type { Page } from '../../store/window/window';
import type { Cursor, PageAhead } from './cursor';
import { budgetOf, type DeliverySlice, isAtLimit } from './slice';

// A faster answer leaves no time to read ahead: two pages would be in memory for nothing.
const BEGIN_AFTER_MS = 20;

/**
 * Reads the next page while one is in flight, if there is room for both (docs/decisions/0034). It does so
 * only once the customer has confirmed a page in this slice: a customer that refuses everything, or is away,
 * costs no further read.
 * @param after the end of the page in flight
 * @param answered aborts when the page in flight is answered
 */
export async function readAhead(
  slice: DeliverySlice,
  cursor: Cursor,
  after: number,
  answered: AbortSignal,
): Promise<void> {
  if (after >= cursor.to || slice.tally.last === null || isAtLimit(slice, 1)) return;
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
    // the page is read again when its turn comes, and the error shows then
  } finally {
    if (!cursor.ahead) lease.end();
  }
}

/** Takes the page that was read ahead. The caller has to end its lease. */
export function takeAhead(cursor: Cursor): PageAhead | undefined {
  const { ahead } = cursor;
  delete cursor.ahead;
  return ahead;
}

export const dropAhead = (cursor: Cursor) => takeAhead(cursor)?.lease.end();

/** The expected size of a page, by the pages before it; at most the limit of every page. */
export function expectedBytes({ input }: DeliverySlice, { progress: { records, bytes } }: Cursor): number {
  return Math.min(MAX_BYTES, input.page_size * (records > 0 ? bytes / records : RECORD_BYTES));
}

export const bytesOf = ({ records }: Pick<Page, 'records'>) =>
  records.reduce((sum, { wire }) => sum + wire.length, 0);
