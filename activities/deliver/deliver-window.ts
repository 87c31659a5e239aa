import { progressLine } from '../../domain/records/count';
import type { PlannedWindow } from '../../domain/deliveries/delivery';
import { countedOf } from '../../domain/deliveries/lateness';
import { findChannel } from '../../store/channels/channels';
import { type Marker, takeEpoch, markerId, setShortWindow } from '../../store/markers/markers';
import { readWordsAbove } from '../../store/push/erp-words';
import type { Selection } from '../../store/window/selection';
import { openWindow } from '../../store/window/window';
import type { Cursor } from './cursor';
import { deliverPage } from './deliver-page';
import { dropAhead } from './read-ahead';
import { type DeliverySlice, type Ended, isAtLimit } from './slice';

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
  const ended = await deliverWindow(slice, marker, {
    ...{ to: input.to, total: input.records, read: input.read },
    progress: { delivery, pages, records, bytes },
  });
  if ('end' in ended) return ended;
  const { totals } = tally;
  const isShort = totals.records + totals.set_aside - ended.beyond < input.records;
  if (isShort !== (marker.short ?? false)) await setShortWindow(process.store, id, isShort);
  return undefined;
}

/** Delivers one marker's window, page by page. @returns the cursor at its end, or why it stops before */
export async function deliverWindow(
  slice: DeliverySlice,
  marker: Marker,
  window: OpenWindow,
): Promise<Ended | Cursor> {
  const { input, tally, show } = slice;
  const cursor = await openCursor(slice, marker, window);
  if (!cursor) return { end: 'superseded' };
  show(progressLine(input, tally.totals, tally.last));
  try {
    while (cursor.at < cursor.to) {
      if (isAtLimit(slice)) return { end: 'more' };
      const ended = await deliverPage(slice, cursor);
      if (ended) return ended;
      tally.pages += 1;
      show(progressLine(input, tally.totals, tally.last));
    }
    return cursor;
  } finally {
    dropAhead(cursor);
  }
}

type OpenWindow = Pick<Cursor, 'to' | 'total' | 'account' | 'progress'> & Pick<PlannedWindow, 'read'>;

/**
 * Begins where the marker is. The caller has taken the marker's epoch already, so nothing that is read from here on,
 * the shared accounts above all, is older than the epoch. @returns undefined when the channel is gone
 */
async function openCursor(
  slice: DeliverySlice,
  marker: Marker,
  { read, ...window }: OpenWindow,
): Promise<Cursor | undefined> {
  const { process, input, session, signal } = slice;
  const channel = await findChannel(process.store, input.channel, session);
  if (!channel) return undefined;
  const { _id: id, generation, epoch, position: at, short: wasShort = false } = marker;
  const selection: Selection = window.account
    ? { companies: channel.companies, shared: new Set([window.account]) }
    : await process.selections(channel, input.entity_type, session);
  const reader = openWindow(process.store, input.entity_type, {
    window: { after: at, upTo: window.to },
    selection,
    read,
    session,
    signal,
    span: spanOf(input),
  });
  const fence = { id, generation, epoch };
  const isOwn = window.account === undefined;
  const changes = isOwn ? countedOf(marker, channel) : undefined;
  const words = isOwn ? await readWordsAbove(process.store, input.entity_type, at, session) : [];
  return {
    ...{ ...window, fence, reader, channel, at, wasShort, beyond: 0 },
    ...(changes && { changes }),
    ...(words.length > 0 && { words }),
  };
}

/** Twice the positions that a page takes on average, as gaps and changed records are spread unevenly. */
function spanOf({ from, to, records, page_size }: DeliverySlice['input']): number {
  return Math.ceil((2 * page_size * (to - from)) / Math.max(1, records));
}
