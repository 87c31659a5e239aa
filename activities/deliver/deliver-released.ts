import { type Channel, findChannel, limitPageSize } from '../../store/channels/channels';
import {
  forgetReleased,
  listReleased,
  type Released,
  RELEASED_AT_ONCE,
} from '../../store/deliveries/set-aside';
import { makeMove, type PageMove } from '../../store/markers/make-move';
import { type Marker, readMarkers } from '../../store/markers/markers';
import { batchesOf, ofCompanies, type PageRecord } from '../../store/records/records';
import { type MayHold, PageBuilder, readPageRecords } from '../../store/window/page-builder';
import { MAX_IN_LIST } from '../../store/window/seek-positions';
import { handOut } from './hand-out';
import { NO_ROOM, RECORD_BYTES } from './page-budget';
import { asEndpoint, countProbe, isPerhapsTooLong, isStumblingBlock, setRecordAside } from './search-page';
import {
  budgetOf,
  type DeliverySlice,
  type Ended,
  endpointWorks,
  isSearchOver,
  isSpent,
  type Unanswered,
} from './slice';

/** A channel's released records, in delivery. */
interface Releasing {
  channel: Channel;
  /** The type's own marker: its window delivers what lies above, and an attempt at it rules out a page that waits here. */
  own: Marker | undefined;
  /** The last of the resent records. */
  last: Released | undefined;
  /** The last goes alone, to see whether the endpoint refuses everything. */
  probing?: true;
  /** The status that counts as a refusal, where a record makes the receiver fail. */
  as: number | null;
}

/** What does not fit on a page, or was refused together: the records that were posted, and the answer if there was one. */
interface NotTogether extends Pick<Releasing, 'as'> {
  records: PageRecord[];
  refused: Unanswered | undefined;
  isCutOff?: boolean;
}

/**
 * Delivers released records by id. One that was refused goes alone, so that another refusal concerns it alone; those that
 * the customer has asked for again share pages.
 */
export async function deliverReleased(slice: DeliverySlice): Promise<Ended | undefined> {
  const { process, input } = slice;
  for (let after = ''; ;) {
    const released = await listReleased(process.store, input.channel, input.entity_type, after);
    const ended = released.length > 0 && (await deliverListed(slice, released));
    if (ended) return ended;
    if (released.length < RELEASED_AT_ONCE) return undefined;
    after = released.at(-1)!.record; // those that wait for the own window stay in the list
  }
}

async function deliverListed(slice: DeliverySlice, released: Released[]): Promise<Ended | undefined> {
  const { process, input, session } = slice;
  const { entity_type } = input;
  const channel = await findChannel(process.store, input.channel, session);
  if (!channel) return { end: 'superseded' };
  const own = (await readMarkers(process.store, channel._id)).get(entity_type);
  const last = released.findLast(({ resend }) => resend);
  const releasing = { channel, own, last, as: null };
  for (const page of pagesOf(released, Math.min(input.page_size, MAX_IN_LIST))) {
    if (isSpent(slice)) return { end: 'more' };
    const ended = await deliverThese(slice, page, releasing);
    if (ended) return ended;
  }
  return undefined;
}

function pagesOf(released: Released[], size: number): Released[][] {
  const alone = released.filter(({ resend }) => !resend);
  const together = released.filter(({ resend }) => resend);
  return [...batchesOf(alone, 1), ...batchesOf(together, size)];
}

/** Those of one page; in halves where it is refused or too large. */
async function deliverThese(
  slice: DeliverySlice,
  list: Released[],
  releasing: Releasing,
): Promise<Ended | undefined> {
  const ended = await budgetOf(slice).run(list.length * RECORD_BYTES, async (lease) => {
    const page = await readThese(slice, list, { ...releasing, mayHold: (bytes) => lease.growTo(bytes) });
    return page
      ? deliverOnce(slice, list, page, releasing)
      : { records: [], refused: undefined, as: releasing.as };
  });
  if (ended === NO_ROOM) return { end: 'more' };
  if (!ended || 'end' in ended) return ended;
  const { records, refused, as } = ended;
  if (refused && ended.isCutOff) return shrinkIfTooLong(slice, list, refused, releasing);
  if (refused && records.length === 1) return refuseOne(slice, records[0]!, refused, list, releasing);
  const middle = Math.ceil(list.length / 2);
  for (const half of [list.slice(0, middle), list.slice(middle)]) {
    if (isSearchOver(slice)) return { end: 'more' };
    const endedHalf =
      (refused && countProbe(slice, refused)) ?? (await deliverThese(slice, half, { ...releasing, as }));
    if (endedHalf) return endedHalf;
  }
  return undefined;
}

/** After a page that was cut off: as with any page, where its first record alone is confirmed, pages of half the size follow. */
async function shrinkIfTooLong(
  slice: DeliverySlice,
  list: Released[],
  cutOff: Unanswered,
  releasing: Releasing,
): Promise<Ended> {
  const { tally, process, input } = slice;
  const before = tally.totals.records;
  tally.totals.probes += 1;
  const ended = await deliverThese(slice, list.slice(0, 1), releasing);
  if (ended) return ended;
  if (tally.totals.records === before) return cutOff;
  await limitPageSize(process.store, input.channel, Math.floor(list.length / 2), { cutOff: true });
  return { end: 'resized' };
}

/** Those that are there; what is not shared is dropped right before the POST. @returns undefined when they do not fit on one page */
async function readThese(
  { process, input, session }: DeliverySlice,
  list: Released[],
  { channel, mayHold }: Releasing & { mayHold: MayHold },
): Promise<PageRecord[] | undefined> {
  const selection = await process.selections(channel, input.entity_type, session);
  const ids = list.map(({ record }) => record);
  const size = { limit: ids.length, batch: ids.length };
  const found = readPageRecords(
    process.store,
    input.entity_type,
    { _id: { $in: ids }, ...ofCompanies(channel) },
    { selection, session, ...size },
  );
  const page = new PageBuilder(0, ids.length + 1, mayHold);
  return (await page.fill(found)) ? undefined : page.records;
}

async function deliverOnce(
  slice: DeliverySlice,
  list: Released[],
  page: PageRecord[],
  { channel, own, as }: Releasing,
): Promise<Ended | NotTogether | undefined> {
  const { process, input, tally } = slice;
  const passed = own?.position ?? Infinity;
  const changed = new Set(page.filter(({ position }) => position > passed).map(({ _id }) => _id));
  const records = page.filter(({ _id }) => !changed.has(_id));
  const done = list.filter(({ record }) => !changed.has(record));
  const lane = { channel: input.channel, entity_type: input.entity_type };
  const move = {
    ...lane,
    set_aside: [],
    released: done.map(({ record, released_at }) => ({ record, released_at })),
  };
  if (records.length > 0) {
    const generation = Math.max(...list.map(({ released_at }) => released_at.getTime()));
    const fence = { id: list[0]!._id, generation, epoch: 0 };
    tally.pages += 1;
    // Each page is all of it: there is no order among them, and how many there will be is not known.
    const moveOf = (): PageMove => ({ ...move, ...(own && { fence: { id: own._id, epoch: own.epoch } }) });
    const context = { fence, channel, total: records.length, number: 1, moveOf };
    const posted = await handOut(slice, context, records);
    if ('end' in posted) {
      const refusal = await refusalAs(slice, posted, {
        first: list[0]!,
        records: records.length,
        channel,
        as,
      });
      return 'end' in refusal ? refusal : { records, ...refusal };
    }
    const { totals } = tally;
    totals.records += posted.sent.length;
    totals.bytes += posted.bytes;
    if (posted.sent.length > 0) {
      totals.pages += 1;
      await makeMove(process.store, move);
      return undefined;
    }
  }
  if (done.length > 0) await forgetReleased(process.store, lane, done);
  return undefined;
}

/** @returns the answer when it concerns the records: refused, too large, or a status that they cause; else the end */
async function refusalAs(
  slice: DeliverySlice,
  posted: Ended,
  { first, records, channel, as }: { first: Released; records: number } & Pick<Releasing, 'channel' | 'as'>,
): Promise<Ended | Omit<NotTogether, 'records'>> {
  if (posted.end !== 'unconfirmed') return posted;
  const { failure, status } = posted.unconfirmed;
  if (failure === 'refused' || failure === 'too_large') return { refused: posted, as };
  const begins = { collection: 'set_aside', id: first._id, position: first.released_at.getTime() } as const;
  if (posted.isCutOff) {
    const isToFind = records > 1 && (await isPerhapsTooLong(slice, begins, channel, records));
    return isToFind ? { refused: posted, as, isCutOff: true } : posted;
  }
  if (as !== null) return status === as ? { refused: posted, as } : posted;
  if (!(await isStumblingBlock(slice, begins, posted))) return posted;
  return slice.input.first ? { end: 'more' } : { refused: posted, as: status };
}

/**
 * Sets aside a record that was refused alone. Of several that the customer has asked for again, and while no page was
 * confirmed, the last one shows whether the endpoint refuses everything, as with any page (docs/decisions/0011).
 */
async function refuseOne(
  slice: DeliverySlice,
  record: PageRecord,
  refused: Unanswered,
  list: Released[],
  releasing: Releasing,
): Promise<Ended | undefined> {
  const { last, probing } = releasing;
  const isResent = list.some(({ record: id, resend }) => id === record._id && resend);
  if (isResent && refused.unconfirmed.failure === 'refused') {
    if (probing) return asEndpoint(refused);
    if (!endpointWorks(slice) && last && last.record !== record._id) {
      const ended =
        countProbe(slice, refused) ?? (await deliverThese(slice, [last], { ...releasing, probing: true }));
      if (ended) return ended;
      if (!endpointWorks(slice)) return asEndpoint(refused);
    }
  }
  return setRecordAside(slice, record, refused);
}
