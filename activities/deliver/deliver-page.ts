import type { PageLease } from '../../outbound/page-budget';
import { wordsWithPage } from '../../store/digest/complete-through';
import { wordsBetween } from '../../store/push/erp-words';
import { readCeiling } from '../../store/records/counters';
import { MAX_BYTES } from '../../store/window/page-builder';
import type { Page } from '../../store/window/window';
import type { PageContext } from './claim-page';
import { confirmPage, moveOf } from './confirm-page';
import type { Cursor } from './cursor';
import { giveOutRecords } from './give-out';
import { bytesOf, dropAhead, expectedBytes, readAhead, takeAhead } from './read-ahead';
import { searchUnconfirmed, type FailedPage } from './search-page';
import { budgetOf, type DeliverySlice, type Ended } from './slice';

/**
 * Reads, gives out and confirms the next page, as soon as the budget of bytes has room for it.
 * @returns why the window ends here, or undefined to continue
 */
export async function deliverPage(slice: DeliverySlice, cursor: Cursor): Promise<Ended | undefined> {
  const ahead = takeAhead(cursor);
  const lease = ahead?.lease ?? (await budgetOf(slice).take(expectedBytes(slice, cursor)));
  if (!lease) return { end: 'more' };
  return deliverNext(slice, cursor, lease, ahead?.page).finally(lease.end);
}

async function deliverNext(
  slice: DeliverySlice,
  cursor: Cursor,
  lease: PageLease,
  ahead?: Page,
): Promise<Ended | undefined> {
  const page = await readPage(slice, cursor, lease, ahead);
  lease.shrinkTo(bytesOf(page));
  const context: PageContext = {
    ...contextOf(cursor),
    readNext: (answered) => readAhead(slice, cursor, page.end, answered),
    wordsOf: wordsOf(slice, cursor, page.end),
    moveOf: (sent, bytes) => moveOf(slice, cursor, sent, { at: page.end, bytes, pages: 1 }),
  };
  const posted = await giveOutRecords(slice, context, page.records);
  if (!('end' in posted)) {
    const { sent, bytes } = posted;
    return confirmPage(slice, cursor, sent, { at: page.end, bytes, pages: sent.length > 0 ? 1 : 0 });
  }
  dropAhead(cursor); // that page would be old when its turn comes
  return posted.end === 'unconfirmed'
    ? searchUnconfirmed(slice, failedPageOf(slice, cursor, lease, page), posted)
    : posted;
}

const contextOf = (cursor: Cursor): PageContext => ({ ...cursor, number: cursor.progress.pages + 1 });

/** Only of a whole page, and only where an ERP has said a word that it may make true. */
function wordsOf(
  { process, input, session }: DeliverySlice,
  cursor: Cursor,
  upTo: number,
): PageContext['wordsOf'] {
  const said = cursor.words ? wordsBetween(cursor.words, cursor.at, upTo) : [];
  if (said.length === 0) return undefined;
  const page = { type: input.entity_type, fence: cursor.fence, upTo, said };
  return (channel, selection) => wordsWithPage(process.store, { channel, selection, ...page }, session);
}

function failedPageOf(slice: DeliverySlice, cursor: Cursor, lease: PageLease, page: Page): FailedPage {
  const { records, end } = page;
  return {
    records,
    begins: { collection: 'markers', id: cursor.fence.id },
    channel: cursor.channel,
    post: (part) => giveOutRecords(slice, contextOf(cursor), part),
    moveTo: (last, { sent, bytes }, refused) => {
      const isWhole = last === records.at(-1);
      const to = { at: isWhole ? end : last.position, bytes, pages: isWhole ? 1 : 0 } as const;
      return confirmPage(slice, cursor, sent, to, refused);
    },
    ...(cursor.account !== undefined && { next: () => nextRecord(cursor, page, lease) }),
  };
}

async function nextRecord({ reader, to }: Cursor, page: Page, lease: PageLease) {
  if (page.end >= to) return undefined;
  const mayHold = (bytes: number) => lease.growTo(bytesOf(page) + bytes);
  return (await reader.read(page.end, 1, { mayHold })).records[0];
}

/**
 * The next page. A record that changed after the plan belongs to the next run, so one that changes all the
 * time would move out of every window. Therefore the last page of a window is filled with records beyond its
 * end, if the window and the one before it held fewer records than planned, or this one holds none any more
 * (docs/decisions/0013).
 */
async function readPage(slice: DeliverySlice, cursor: Cursor, lease: PageLease, ahead?: Page): Promise<Page> {
  const mayHold = (bytes: number) => lease.growTo(bytes);
  const { process, input, session, tally } = slice;
  const limit = input.page_size;
  const page = ahead ?? (await cursor.reader.read(cursor.at, limit, { mayHold }));
  if (cursor.account !== undefined || page.end < cursor.to) return page;
  const found = tally.totals.records + tally.totals.set_aside + page.records.length;
  const missing = Math.min(input.records - found, limit - page.records.length);
  if (missing <= 0 || (!cursor.wasShort && found > 0)) return page;
  // Read before the records, in the same session: everything up to the ceiling is committed.
  const ceiling = await readCeiling(process.store, input.entity_type, session);
  if (ceiling <= cursor.to) return page;
  const held = bytesOf(page);
  const fits = (bytes: number) => held + bytes <= MAX_BYTES && mayHold(held + bytes);
  const beyond = await cursor.reader.read(cursor.to, missing, { upTo: ceiling, mayHold: fits });
  if (held > 0 && !fits(bytesOf(beyond))) return page; // a reader returns one record whatever its size
  cursor.beyond = beyond.records.length;
  return { records: [...page.records, ...beyond.records], end: beyond.end };
}
