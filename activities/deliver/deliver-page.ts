import { readCeiling } from '../../store/records/counters';
import type { Page } from '../../store/window/window';
import { confirmPage, moveOf } from './confirm-page';
import type { Cursor } from './cursor';
import { handOutRecords } from './hand-out';
import { NO_ROOM, type PageLease } from './page-budget';
import { bytesOf, dropAhead, expectedBytes, readAhead, takeAhead } from './read-ahead';
import { isPerhapsTooLong, isStumblingBlock, searchPage, shrinkIfTooLong, shrinkPage } from './search-page';
import { budgetOf, type DeliverySlice, type Ended } from './slice';

/**
 * Reads, posts and confirms the next page, as soon as the budget of bytes has room for it.
 * @returns why the window ends here, or undefined to continue
 */
export async function deliverPage(slice: DeliverySlice, cursor: Cursor): Promise<Ended | undefined> {
  const ahead = takeAhead(cursor);
  if (ahead) return deliverNext(slice, cursor, ahead.lease, ahead.page).finally(ahead.lease.end);
  const ended = await budgetOf(slice).run(expectedBytes(slice, cursor), (lease) =>
    deliverNext(slice, cursor, lease),
  );
  return ended === NO_ROOM ? { end: 'more' } : ended;
}

async function deliverNext(
  slice: DeliverySlice,
  cursor: Cursor,
  lease: PageLease,
  ahead?: Page,
): Promise<Ended | undefined> {
  const { page_size } = slice.input;
  const page = await readPage(slice, cursor, page_size, lease, ahead);
  lease.shrinkTo(bytesOf(page));
  const posted = await handOutRecords(slice, cursor, page.records, {
    readNext: (answered) => readAhead(slice, cursor, page.end, answered),
    moveOf: (sent, bytes) => moveOf(slice, cursor, sent, { at: page.end, bytes, pages: 1 }),
  });
  if (!('end' in posted)) {
    const { sent, bytes } = posted;
    return confirmPage(slice, cursor, sent, { at: page.end, bytes, pages: sent.length > 0 ? 1 : 0 });
  }
  dropAhead(cursor); // it would be old when its turn comes
  if (posted.end !== 'unconfirmed') return posted;
  const { failure, status } = posted.unconfirmed;
  if (failure === 'too_large') return shrinkPage(slice, cursor, page.records, posted);
  const begins = { collection: 'markers', id: cursor.fence.id, position: cursor.at } as const;
  if (posted.isCutOff) {
    if (!(await isPerhapsTooLong(slice, begins, cursor.channel, page.records.length))) return posted;
    const isOne = page.records.length === 1;
    const other = isOne ? (await readPage(slice, cursor, 2, lease)).records[1] : page.records[0];
    return other ? shrinkIfTooLong(slice, cursor, page.records, { other, cutOff: posted }) : posted;
  }
  if (failure !== 'refused') {
    if (!(await isStumblingBlock(slice, begins, posted))) return posted;
    if (slice.input.first) return { end: 'more' }; // a search that is cut off would not be begun again in this run
  }
  // With pages of one record, the next record shows whether this one or everything is refused.
  const compared = page_size === 1 ? await readPage(slice, cursor, 2, lease) : page;
  return searchPage(slice, cursor, compared, {
    refused: posted,
    as: failure === 'refused' ? null : status,
  });
}

/**
 * The next page. A record that changed after the plan belongs to the next run, so one that changes all the time would
 * move out of every window. Therefore, when this window and the one before ended with fewer records than planned, or
 * nothing is left of this one, its last page is filled with records beyond its end (docs/decisions/0013).
 */
async function readPage(
  slice: DeliverySlice,
  cursor: Cursor,
  limit: number,
  lease: PageLease,
  ahead?: Page,
): Promise<Page> {
  const mayHold = (bytes: number) => lease.growTo(bytes);
  const { process, input, session, tally } = slice;
  const page = ahead ?? (await cursor.reader.read(cursor.at, limit, { mayHold }));
  if (cursor.account !== undefined || page.end < cursor.to) return page;
  const found = tally.totals.records + tally.totals.set_aside + page.records.length;
  const missing = Math.min(input.records - found, limit - page.records.length);
  if (missing <= 0 || (!cursor.wasShort && found > 0)) return page;
  // Read before the records, in the same session: everything up to the ceiling is committed.
  const ceiling = await readCeiling(process.store, input.entity_type, session);
  if (ceiling <= cursor.to) return page;
  const beyond = await cursor.reader.read(cursor.to, missing, { upTo: ceiling });
  cursor.beyond = beyond.records.length;
  return { records: [...page.records, ...beyond.records], end: beyond.end };
}
