import { limitPageSize } from '../../store/channels/channels';
import type { PageFailure } from '../../domain/classify-answer';
import type { PageRecord } from '../../store/records/records';
import type { DeliverySlice, Ended, Unanswered } from './slice';
import { confirmPage } from './confirm-page';
import type { Cursor } from './cursor';
import { postRecords } from './post-records';
import { setRecordAside } from './set-record-aside';

/**
 * After a page that was cut off: posts one record alone. Where that is answered, the page is too long for the customer, who is
 * there: the page size is halved and stored, and a single record is set aside. Otherwise the customer is away, and nothing is.
 * @param other the page's first record, or the one after a single record, which goes out again in its place
 */
export async function shrinkIfTooLong(
  slice: DeliverySlice,
  cursor: Cursor,
  page: PageRecord[],
  { other, cutOff }: { other: PageRecord; cutOff: Unanswered },
): Promise<Ended | undefined> {
  slice.tally.totals.probes += 1;
  const posted = await postRecords(slice, cursor, [other]);
  if ('end' in posted) {
    if (posted.end !== 'unconfirmed') return posted;
    if (!OF_THE_RECORD.includes(posted.unconfirmed.failure)) return cutOff;
  } else {
    if (posted.sent.length === 0) return cutOff; // it is shared no longer: nothing was posted
    const { bytes, sent } = posted;
    const ended =
      page.includes(other) &&
      (await confirmPage(slice, cursor, sent, { at: other.position, bytes, pages: 0 }));
    if (ended) return ended;
  }
  return shrinkPage(slice, cursor, page, cutOff);
}

const OF_THE_RECORD: PageFailure[] = ['refused', 'too_large'];

/** After a 413, or a page that was cut off: halves the page size and stores it; a single record is set aside. */
export async function shrinkPage(
  slice: DeliverySlice,
  cursor: Cursor,
  page: PageRecord[],
  tooLarge: Unanswered,
): Promise<Ended | undefined> {
  const [record, ...more] = page;
  if (more.length > 0) {
    const { store } = slice.process;
    const half = Math.floor(page.length / 2);
    await limitPageSize(store, slice.input.channel, half, { cutOff: tooLarge.isCutOff === true });
    return { end: 'resized' };
  }
  const tooMany = await setRecordAside(slice, record!, tooLarge);
  return tooMany ?? confirmPage(slice, cursor, [], { at: record!.position, bytes: 0, pages: 0 });
}
