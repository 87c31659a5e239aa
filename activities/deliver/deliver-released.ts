import { type PageLease, RECORD_BYTES } from '../../outbound/page-budget';
import { type Channel, findChannel } from '../../store/channels/channels';
import {
  forgetReleased,
  listReleased,
  type Released,
  RELEASED_AT_ONCE,
  setAside,
} from '../../store/deliveries/set-aside';
import { makeMove, type PageMove } from '../../store/markers/make-move';
import { type Marker, readMarkers } from '../../store/markers/markers';
import { batchesOf, ofCompanies, type PageRecord } from '../../store/records/records';
import { type MayHold, PageBuilder, readPageRecords } from '../../store/window/page-builder';
import { MAX_IN_LIST } from '../../store/window/seek-positions';
import { countConfirmed } from './confirm-page';
import { giveOut, type Posted } from './give-out';
import { searchUnconfirmed, type FailedPage } from './search-page';
import { budgetOf, type DeliverySlice, type Ended, isAtLimit } from './slice';

/** A channel's released records, in delivery. */
interface Releasing {
  channel: Channel;
  /**
   * The type's own marker. Records above it are left to the channel's own window. A newer attempt at it rules
   * out a page of released records that waits for its customer.
   */
  own: Marker | undefined;
  /** The released records of each page that is still to come. */
  queue: Released[][];
}

/** One page: what was released, and the records of it that exist. */
interface ReleasedPage {
  list: Released[];
  records: PageRecord[];
}

/**
 * Delivers released records by id. A record that was refused before goes alone, so that another refusal
 * concerns it alone. Records that the customer has asked for again share pages.
 */
export async function deliverReleased(slice: DeliverySlice): Promise<Ended | undefined> {
  const { process, input } = slice;
  for (let after = ''; ;) {
    const released = await listReleased(process.store, input.channel, input.entity_type, after);
    const ended = released.length > 0 && (await deliverListed(slice, released));
    if (ended) return ended;
    if (released.length < RELEASED_AT_ONCE) return undefined;
    after = released.at(-1)!.record; // records that are left to the channel's own window stay in the list
  }
}

async function deliverListed(slice: DeliverySlice, released: Released[]): Promise<Ended | undefined> {
  const { process, input, session } = slice;
  const channel = await findChannel(process.store, input.channel, session);
  if (!channel) return { end: 'superseded' };
  const own = (await readMarkers(process.store, channel._id)).get(input.entity_type);
  const queue = pagesOf(released, Math.min(input.page_size, MAX_IN_LIST));
  const releasing = { channel, own, queue };
  for (let list = queue.shift(); list; list = queue.shift()) {
    if (isAtLimit(slice)) return { end: 'more' };
    const lease = await budgetOf(slice).take(list.length * RECORD_BYTES);
    if (!lease) return { end: 'more' };
    const ended = await deliverThese(slice, list, releasing, lease).finally(lease.end);
    if (ended) return ended;
  }
  return undefined;
}

function pagesOf(released: Released[], size: number): Released[][] {
  const alone = released.filter(({ resend }) => !resend);
  const together = released.filter(({ resend }) => resend);
  return [...batchesOf(alone, 1), ...batchesOf(together, size)];
}

async function deliverThese(
  slice: DeliverySlice,
  list: Released[],
  releasing: Releasing,
  lease: PageLease,
): Promise<Ended | undefined> {
  const page = await readThese(slice, list, releasing, lease.growTo);
  if (page.records.length === 0) return moveTo(slice, page, { sent: [], bytes: 0 });
  slice.tally.pages += 1;
  const failedPage = failedPageOf(slice, page, releasing);
  const posted = await failedPage.post(page.records);
  if (!('end' in posted)) return moveTo(slice, page, posted);
  return posted.end === 'unconfirmed' ? searchUnconfirmed(slice, failedPage, posted) : posted;
}

/**
 * Reads the records that exist. Those that are not shared are dropped right before the POST. Those that do
 * not fit go to the next page, and those above the marker are left to the channel's own window.
 */
async function readThese(
  { process, input, session }: DeliverySlice,
  all: Released[],
  { channel, own, queue }: Releasing,
  mayHold: MayHold,
): Promise<ReleasedPage> {
  const selection = await process.selections(channel, input.entity_type, session);
  const ids = all.map(({ record }) => record);
  const size = { limit: ids.length, batch: ids.length };
  const found = readPageRecords(
    process.store,
    input.entity_type,
    { _id: { $in: ids }, ...ofCompanies(channel) },
    { selection, session, ...size },
  );
  const page = new PageBuilder(0, ids.length + 1, mayHold);
  const isFull = await page.fill(found);
  const byId = new Map(page.records.map((record) => [record._id, record]));
  const fits = isFull ? all.filter(({ record }) => byId.has(record)) : all;
  if (isFull) queue.unshift(all.filter(({ record }) => !byId.has(record)));
  const isChanged = ({ position }: PageRecord) => position > (own?.position ?? Infinity);
  const waits = new Set(page.records.filter(isChanged).map(({ _id }) => _id));
  return {
    list: fits.filter(({ record }) => !waits.has(record)),
    records: page.records.filter(({ _id }) => !waits.has(_id)),
  };
}

function failedPageOf(slice: DeliverySlice, page: ReleasedPage, { channel, own }: Releasing): FailedPage {
  const { list, records } = page;
  const first = list[0]!;
  const generation = Math.max(...list.map(({ released_at }) => released_at.getTime()));
  const fence = { id: first._id, generation, epoch: 0 };
  const moveOf = (): PageMove => ({
    ...moveOver(slice, list),
    ...(own && { fence: { id: own._id, epoch: own.epoch } }),
  });
  return {
    records,
    released: new Set(list.flatMap(({ record, resend }) => (resend ? [] : [record]))),
    begins: { collection: 'set_aside', id: fence.id },
    channel,
    // Each page is complete in itself: the pages have no order, and their number is not known.
    post: (part) => giveOut(slice, { fence, channel, total: part.length, number: 1, moveOf }, part),
    moveTo: async (last, posted, refused) => {
      const known = list.find(({ record }) => record === refused?.record);
      if (refused) await setAside(slice.process.store, refused, known?.released_at);
      return moveTo(slice, page, posted, last);
    },
  };
}

/** Moves past everything of the page up to `last`: it is confirmed, set aside, or not the channel's. */
async function moveTo(
  slice: DeliverySlice,
  { list, records }: ReleasedPage,
  { sent, bytes }: Posted,
  last = records.at(-1),
): Promise<undefined> {
  const behind = new Set(records.slice(records.indexOf(last!) + 1).map(({ _id }) => _id));
  const move = moveOver(slice, last ? list.filter(({ record }) => !behind.has(record)) : list);
  if (sent.length > 0) {
    await makeMove(slice.process.store, move);
    countConfirmed(slice, sent, { bytes, pages: 1 });
  } else if (move.released.length > 0) await forgetReleased(slice.process.store, move, move.released);
}

const moveOver = ({ input: { channel, entity_type } }: DeliverySlice, done: Released[]): PageMove => ({
  ...{ channel, entity_type, set_aside: [] },
  released: done.map(({ record, released_at }) => ({ record, released_at })),
});
