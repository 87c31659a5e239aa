import { limitPageSize } from '../../store/feed/channels';
import type { PageRecord } from '../../store/push/records';
import type { DeliverySlice, Ended, Unanswered } from './slice';
import { confirmPage } from './confirm-page';
import type { Cursor } from './cursor';
import { setRecordAside } from './set-record-aside';

/** After a 413: halves the page size and stores it; a single record is set aside. */
export async function shrinkPage(
  slice: DeliverySlice,
  cursor: Cursor,
  page: PageRecord[],
  tooLarge: Unanswered,
): Promise<Ended | undefined> {
  const [record, ...more] = page;
  if (more.length > 0) {
    await limitPageSize(slice.process.store, slice.input.channel, Math.floor(page.length / 2));
    return { end: 'resized' };
  }
  const tooMany = await setRecordAside(slice, record!, tooLarge);
  return tooMany ?? confirmPage(slice, cursor, [], { at: record!.position, bytes: 0, pages: 0 });
}
