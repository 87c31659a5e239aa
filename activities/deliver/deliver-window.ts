import { progressLine } from '../../domain/count';
import { takeEpoch, markerId, setShortWindow } from '../../store/markers/markers';
import { type DeliverySlice, type Ended, isSpent } from './slice';
import { type Cursor, openCursor } from './cursor';
import { deliverPage } from './deliver-page';
import { dropAhead } from './read-ahead';

/** Delivers the channel's own window of one entity type. */
export async function deliverOwnWindow(slice: DeliverySlice): Promise<Ended | undefined> {
  const { process, input, delivery, session, tally } = slice;
  const id = markerId(input.channel, input.entity_type);
  const marker = await takeEpoch(process.store, id, input.generation, session);
  if (!marker) return { end: 'superseded' };
  // A retry, on any worker, continues from the marker.
  if (marker.progress?.delivery === delivery) {
    const { pages, records, bytes } = marker.progress;
    tally.totals = { ...tally.totals, pages, records, bytes };
  }
  const { pages, records, bytes } = tally.totals;
  const cursor = await openCursor(
    slice,
    { ...marker, generation: input.generation },
    { to: input.to, total: input.records, read: input.read, progress: { delivery, pages, records, bytes } },
  );
  const ended = await deliverWindow(slice, cursor);
  if (ended) return ended;
  const { totals } = tally;
  const isShort = totals.records + totals.set_aside - (cursor?.beyond ?? 0) < input.records;
  if (isShort !== (marker.short ?? false)) await setShortWindow(process.store, id, isShort);
  return undefined;
}

/** Delivers one marker's window, page by page. */
export async function deliverWindow(
  slice: DeliverySlice,
  cursor: Cursor | undefined,
): Promise<Ended | undefined> {
  if (!cursor) return { end: 'superseded' };
  const { input, tally, show } = slice;
  show(progressLine(input, tally.totals, tally.last));
  try {
    while (cursor.at < cursor.to) {
      if (isSpent(slice)) return { end: 'more' };
      const ended = await deliverPage(slice, cursor);
      if (ended) return ended;
      tally.pages += 1;
      show(progressLine(input, tally.totals, tally.last));
    }
    return undefined;
  } finally {
    dropAhead(cursor);
  }
}
