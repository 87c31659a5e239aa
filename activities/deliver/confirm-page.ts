import { moveMarker, noteDelivered, skipMarker } from '../../store/markers/markers';
import type { PageRecord } from '../../store/records/records';
import { clearSetAside } from '../../store/deliveries/set-aside';
import type { DeliverySlice, Ended } from './slice';
import type { Cursor } from './cursor';

/** Moves the marker past what the customer has confirmed, and no further. */
export async function confirmPage(
  slice: DeliverySlice,
  cursor: Cursor,
  sent: PageRecord[],
  { at, bytes, pages }: { at: number; bytes: number; pages: 0 | 1 },
): Promise<Ended | undefined> {
  const { store } = slice.process;
  const { fence, progress: before } = cursor;
  const last = sent.at(-1);
  const progress = {
    delivery: slice.delivery,
    pages: before.pages + pages,
    records: before.records + sent.length,
    bytes: before.bytes + bytes,
    page_size: slice.input.page_size,
    ...(slice.tally.collected !== undefined && { collected: slice.tally.collected }),
  };
  const to = { position: at, progress, records: sent.length };
  const moved = last
    ? await moveMarker(store, fence, { ...to, timestamp: last.updated_at })
    : await skipMarker(store, fence, at);
  if (!moved) {
    delete slice.tally.collected; // the confirmation is for the attempt that moves the marker
    return { end: 'superseded' };
  }
  if (last && cursor.account) await noteDelivered(store, slice.input);
  cursor.at = at;
  cursor.progress = progress;
  const { totals } = slice.tally;
  totals.pages += pages;
  totals.records += sent.length;
  totals.bytes += bytes;
  await clearConfirmed(slice, sent);
  return undefined;
}

/** Removes confirmed records from those set aside. */
async function clearConfirmed({ process, input, tally }: DeliverySlice, sent: PageRecord[]): Promise<void> {
  if (tally.setAside.size === 0) return;
  const cleared = sent.flatMap(({ _id: record, position }) => {
    const at = tally.setAside.get(record);
    tally.setAside.delete(record);
    return at ? [{ record, position, at }] : [];
  });
  if (cleared.length > 0) await clearSetAside(process.store, input, cleared);
}
