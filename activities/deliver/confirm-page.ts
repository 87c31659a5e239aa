import type { ClientSession } from 'mongodb';
import { msNow } from '../../domain/time/elapsed';
import { type Lateness, latenessOf } from '../../domain/deliveries/lateness';
import { countChanges } from '../../telemetry/counts';
import { type Refusal, setAside } from '../../store/deliveries/set-aside';
import { makeMove, type PageMove } from '../../store/markers/make-move';
import { skipMarker } from '../../store/markers/markers';
import type { PageRecord } from '../../store/records/records';
import { inTransaction } from '../../store/transact';
import type { Cursor } from './cursor';
import type { DeliverySlice, Ended } from './slice';

/** The position that a confirmation moves the marker to, and what it adds to the totals. */
type MoveSize = Record<'at' | 'bytes', number> & { pages: 0 | 1 };

/** Moves the marker to a position up to which every record of the channel is confirmed or set aside, the last one if it was `refused`. */
export async function confirmPage(
  slice: DeliverySlice,
  cursor: Cursor,
  sent: PageRecord[],
  size: MoveSize,
  refused?: Refusal,
): Promise<Ended | undefined> {
  const { store } = slice.process;
  const { at } = size;
  const changes = cursor.changes && latenessOf(sent, cursor.changes, cursor.channel.cadence_ms, msNow());
  const move = sent.length > 0 ? moveOf(slice, cursor, sent, size, changes?.lateness) : undefined;
  const moves = (session?: ClientSession) =>
    move ? makeMove(store, move, session) : skipMarker(store, cursor.fence, at, session);
  // Both or neither: an attempt that was overtaken sets nothing aside, as the next one may have it confirmed.
  const movesPast = (refusal: Refusal) =>
    inTransaction(store, async (session) => {
      if (!(await moves(session))) return false;
      await setAside(store, refusal, slice.tally.setAside.get(refusal.record)?.released_at, session);
      return true;
    });
  const isMoved = await (refused ? movesPast(refused) : moves());
  if (!isMoved) return { end: 'superseded' };
  cursor.at = at;
  if (changes) {
    cursor.changes!.lateness = changes.lateness;
    countChanges(slice.input.channel, changes);
  }
  cursor.progress = progressOf(slice, cursor, sent, size);
  countConfirmed(slice, sent, size);
  return undefined;
}

export function countConfirmed(
  { tally: { totals, setAside } }: DeliverySlice,
  sent: PageRecord[],
  { pages, bytes }: Omit<MoveSize, 'at'>,
): void {
  totals.pages += pages;
  totals.records += sent.length;
  totals.bytes += bytes;
  if (setAside.size > 0) for (const { _id } of sent) setAside.delete(_id);
}

/** The records of a page that were set aside when it was made. */
export function setAsideOf({ tally }: DeliverySlice, sent: PageRecord[]): PageMove['set_aside'] {
  if (tally.setAside.size === 0) return []; // without a look at each record
  return sent.flatMap(({ _id: record, position }) => {
    const known = tally.setAside.get(record);
    return known ? [{ record, position, at: known.at, released_at: known.released_at }] : [];
  });
}

/** All that the confirmation of these records changes. */
export function moveOf(
  slice: DeliverySlice,
  cursor: Cursor,
  sent: PageRecord[],
  size: MoveSize,
  lateness?: Lateness,
): PageMove {
  const { channel, entity_type } = slice.input;
  const { id, epoch } = cursor.fence;
  const progress = progressOf(slice, cursor, sent, size);
  return {
    ...{ channel, entity_type, set_aside: setAsideOf(slice, sent), released: [] },
    fence: { id, epoch },
    to: {
      ...{ position: size.at, progress, records: sent.length, timestamp: sent.at(-1)!.updated_at },
      ...(lateness && { lateness }),
    },
  };
}

function progressOf(
  { input, delivery }: DeliverySlice,
  { progress: before }: Cursor,
  sent: PageRecord[],
  { pages, bytes }: MoveSize,
): Cursor['progress'] {
  return {
    delivery,
    pages: before.pages + pages,
    records: before.records + sent.length,
    bytes: before.bytes + bytes,
    page_size: input.page_size,
  };
}
