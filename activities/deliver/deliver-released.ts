import { type Channel, findChannel } from '../../store/feed/channels';
import { readMarkers } from '../../store/feed/markers';
import { type MayHold, PageBuilder } from '../../store/feed/page-builder';
import { readPageRecords } from '../../store/feed/read-page-records';
import { MAX_IN_LIST, ofCompanies } from '../../store/feed/seek-positions';
import { forgetReleased, listReleased, type Released } from '../../store/feed/set-aside';
import { batchesOf } from '../../store/push/batches';
import type { PageRecord } from '../../store/push/records';
import { budgetOf, type DeliverySlice, type Ended, isSpent } from './slice';
import { NO_ROOM, RECORD_BYTES } from './page-budget';
import { postInSlot } from './post-records';
import { setRecordAside } from './set-record-aside';

/** A channel's released records, in delivery. */
interface Releasing {
  channel: Channel;
  /** The channel's own window delivers what lies above. */
  passed: number;
  total: number;
}

/**
 * Delivers released records by id. One that was refused goes alone, so that another refusal concerns it alone; those that
 * the customer has asked for again share pages.
 */
export async function deliverReleased(slice: DeliverySlice): Promise<Ended | undefined> {
  const { process, input, session } = slice;
  const { entity_type } = input;
  const released = await listReleased(process.store, input.channel, entity_type);
  if (released.length === 0) return undefined;
  const channel = await findChannel(process.store, input.channel, session);
  if (!channel) return { end: 'superseded' };
  const own = (await readMarkers(process.store, channel._id)).get(entity_type);
  const releasing = { channel, passed: own?.position ?? Infinity, total: released.length };
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
    return page ? deliverOnce(slice, list, page, releasing) : TOO_MUCH;
  });
  if (ended === NO_ROOM) return { end: 'more' };
  if (ended !== TOO_MUCH) return ended;
  const middle = Math.ceil(list.length / 2);
  for (const half of [list.slice(0, middle), list.slice(middle)]) {
    if (isSpent(slice)) return { end: 'more' };
    const endedHalf = await deliverThese(slice, half, releasing);
    if (endedHalf) return endedHalf;
  }
  return undefined;
}

/** For the customer, or for one page. */
const TOO_MUCH = Symbol('too much');

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
  { channel, passed, total }: Releasing,
): Promise<Ended | typeof TOO_MUCH | undefined> {
  const { process, tally } = slice;
  const changed = new Set(page.filter(({ position }) => position > passed).map(({ _id }) => _id));
  const records = page.filter(({ _id }) => !changed.has(_id));
  const done = list.filter(({ record }) => !changed.has(record));
  if (records.length > 0) {
    const generation = Math.max(...list.map(({ released_at }) => released_at.getTime()));
    const fence = { id: list[0]!._id, generation, epoch: 0 };
    tally.pages += 1;
    const posted = await postInSlot(slice, { fence, channel, total, number: 1 }, records);
    if ('end' in posted) return refusedOf(slice, records, posted);
    const { totals } = tally;
    totals.pages += posted.sent.length > 0 ? 1 : 0;
    totals.records += posted.sent.length;
    totals.bytes += posted.bytes;
  }
  return forgetReleased(process.store, done).then(() => undefined);
}

/** A refusal says nothing of the single record until it has gone alone. */
async function refusedOf(
  slice: DeliverySlice,
  records: PageRecord[],
  posted: Ended,
): Promise<Ended | typeof TOO_MUCH | undefined> {
  if (posted.end !== 'unconfirmed') return posted;
  const { failure } = posted.unconfirmed;
  if (failure !== 'refused' && failure !== 'too_large') return posted;
  return records.length > 1 ? TOO_MUCH : setRecordAside(slice, records[0]!, posted);
}
