import type { PageFailure } from '../../domain/classify-answer';
import { reasonOverMany } from '../../domain/failure-message';
import { searchRefused, type SearchStep } from '../../domain/search-refused';
import { type Channel, limitPageSize } from '../../store/channels/channels';
import { noteStumble, setAside, type StumbleAt } from '../../store/deliveries/set-aside';
import { isConfirmedSince } from '../../store/markers/markers';
import type { PageRecord } from '../../store/records/records';
import type { Page } from '../../store/window/window';
import { confirmPage } from './confirm-page';
import type { Cursor } from './cursor';
import { handOutRecords } from './hand-out';
import { type DeliverySlice, type Ended, isSearchOver, spentOf, type Unanswered } from './slice';

/**
 * A search in progress: up to where the marker has passed the page, and which records after that are confirmed, each
 * with its share of the bytes.
 */
interface Search {
  page: Page;
  settled: number;
  confirmed: Map<PageRecord, number>;
  refused: Unanswered;
  /** The status that counts as a refusal, where a record makes the receiver fail. */
  as: number | null;
}

/** After a refused page: finds the refused records, sets them aside and delivers all others. */
export async function searchPage(
  slice: DeliverySlice,
  cursor: Cursor,
  page: Page,
  { refused, as }: Pick<Search, 'refused' | 'as'>,
): Promise<Ended | undefined> {
  const search: Search = { page, settled: 0, confirmed: new Map(), refused, as };
  const steps = searchRefused(page.records.length, cursor.endpointWorks);
  for (let next = steps.next(false); ;) {
    if (next.done) return next.value === 'settled' ? undefined : asEndpoint(search.refused, page.records);
    const step = next.value;
    const result =
      step.do === 'post'
        ? await post(slice, cursor, search, step)
        : await settle(slice, cursor, search, step);
    if (typeof result !== 'boolean') return result ?? undefined;
    next = steps.next(result);
  }
}

/** @returns whether the batch was confirmed; else what ends the search (null: the single record was set aside, and the marker is past it) */
async function post(
  slice: DeliverySlice,
  cursor: Cursor,
  search: Search,
  { from, to }: { from: number; to: number },
): Promise<boolean | Ended | null> {
  const tooMany = countProbe(slice, search.refused);
  if (tooMany) return tooMany;
  if (isSearchOver(slice)) return { end: 'more' };
  const batch = search.page.records.slice(from, to);
  const posted = await handOutRecords(slice, cursor, batch);
  if ('end' in posted) {
    if (posted.end !== 'unconfirmed') return posted;
    const { failure, status } = posted.unconfirmed;
    if (failure === 'too_large') {
      // The last record alone, as a probe: any answer other than a refusal shows that the endpoint does not refuse
      // everything. It is posted again later.
      if (batch.length === 1 && from > search.settled) return true;
      return (await shrinkPage(slice, cursor, batch, posted)) ?? null;
    }
    if (failure !== 'refused' && (search.as === null || status !== search.as)) return posted;
    search.refused = posted;
    return false;
  }
  for (const record of posted.sent) search.confirmed.set(record, posted.bytes / posted.sent.length);
  return true;
}

async function settle(
  slice: DeliverySlice,
  cursor: Cursor,
  search: Search,
  step: Exclude<SearchStep, { do: 'post' }>,
): Promise<boolean | Ended> {
  const { records, end } = search.page;
  if (step.do === 'set-aside')
    return (await setRecordAside(slice, records[step.at]!, search.refused)) ?? true;
  const sent = records.slice(search.settled, step.to).filter((record) => search.confirmed.has(record));
  const bytes = sent.reduce((sum, record) => sum + search.confirmed.get(record)!, 0);
  const whole = step.to === records.length;
  const ended = await confirmPage(slice, cursor, sent, {
    at: whole ? end : records[step.to - 1]!.position,
    bytes: Math.round(bytes),
    pages: whole ? 1 : 0,
  });
  if (ended) return ended;
  search.settled = step.to;
  return true;
}

/**
 * After a page that was cut off: posts one record alone. Where that is answered, the page is too long for the customer, who is
 * there: the page size is halved and stored, and a single record is set aside. Otherwise the customer is away, and
 * nothing is halved or set aside.
 * @param other the page's first record, or, for a page of one record, the record after it; that one is sent again when its turn comes
 */
export async function shrinkIfTooLong(
  slice: DeliverySlice,
  cursor: Cursor,
  page: PageRecord[],
  { other, cutOff }: { other: PageRecord; cutOff: Unanswered },
): Promise<Ended | undefined> {
  slice.tally.totals.probes += 1;
  const posted = await handOutRecords(slice, cursor, [other]);
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

const ASKS_FOR_TIME = [425, 429, 503];
// The customer is away or asks for time: the status says nothing of the page.
const PASSING = [...ASKS_FOR_TIME, 408, 502, 504];
const DELIVERIES_BEFORE = 2;
const CUT_OFF = 0; // in the place of a status

/** Whether one record may have drawn this answer: also 502, which a proxy answers where the receiver crashes. */
export const mayBeOfItsRecords = ({ unconfirmed: { status } }: Unanswered) =>
  status !== null && !ASKS_FOR_TIME.includes(status);

/**
 * Whether this page makes the receiver fail, or a firewall before it: it drew the same status in two earlier deliveries while
 * the customer confirmed other pages. Such a page is searched like a refused one, once per run.
 */
export async function isStumblingBlock(
  slice: DeliverySlice,
  { position, ...at }: StumbleAt & { position: number },
  { unconfirmed: { status } }: Unanswered,
): Promise<boolean> {
  const { process, input, delivery } = slice;
  const { store } = process;
  if (status === null || PASSING.includes(status)) return false;
  const { since, deliveries } = await noteStumble(store, at, { status, position, delivery });
  if (deliveries <= DELIVERIES_BEFORE) return false;
  return spentOf(slice).probes === 0 && isConfirmedSince(store, input.channel, since);
}

/**
 * Whether to find out, once a run, if a page that was cut off is too long for the customer: when it was cut off in
 * two earlier deliveries, or when a longer page is known to have been too long. Never in the main queue, where it would
 * hold up others.
 */
export async function isPerhapsTooLong(
  slice: DeliverySlice,
  { position, ...at }: StumbleAt & { position: number },
  { page_limit }: Channel,
  records: number,
): Promise<boolean> {
  const { process, input, delivery } = slice;
  const { deliveries } = await noteStumble(process.store, at, { status: CUT_OFF, position, delivery });
  const isKnown = page_limit?.cut_off === true && records > 1;
  if (deliveries <= DELIVERIES_BEFORE && !isKnown) return false;
  const isInMainQueue = input.first && !input.unanswered;
  return !isInMainQueue && spentOf(slice).probes === 0 && !process.draining();
}

// Per run: a customer that refuses more than this has a problem of another kind.
export const MAX_SET_ASIDE = 20;
// Per run, over all its pages.
const MAX_REQUESTS = 60;

/** Sets a record aside, before the marker passes it. @returns what ends the delivery when there are too many */
export async function setRecordAside(
  slice: DeliverySlice,
  record: PageRecord,
  refused: Unanswered,
): Promise<Unanswered | undefined> {
  const { process, input, delivery, tally } = slice;
  const { failure, status } = refused.unconfirmed;
  if (spentOf(slice).set_aside >= MAX_SET_ASIDE) return asTooMany(refused, `${MAX_SET_ASIDE} records`);
  const at = await setAside(process.store, {
    channel: input.channel,
    entity_type: input.entity_type,
    record: record._id,
    position: record.position,
    failure: failure === 'too_large' ? failure : 'refused',
    status: status ?? 0,
    answer: refused.answer,
    delivery,
  });
  tally.totals.set_aside += 1;
  tally.hasSetAside = true;
  tally.setAside.set(record._id, at);
  return undefined;
}

/** Counts a request that searches for refused records. @returns what ends the delivery when there are too many */
export function countProbe(slice: DeliverySlice, refused: Unanswered): Unanswered | undefined {
  const { set_aside, probes } = spentOf(slice);
  if (probes >= MAX_REQUESTS) {
    if (set_aside + slice.tally.totals.records === 0) return asEndpoint(refused);
    return asTooMany(refused, `records found one by one, in ${MAX_REQUESTS} requests`);
  }
  slice.tally.totals.probes += 1;
  return undefined;
}

/** Records that were set aside stay set aside; the rest waits for the next run or for a person. */
function asTooMany(refused: Unanswered, many: string): Unanswered {
  const { unconfirmed } = refused;
  const advice = 'ask the customer what is wrong with those set aside';
  return {
    ...refused,
    unconfirmed: { ...unconfirmed, reason: reasonOverMany(unconfirmed.reason, many), advice },
  };
}

/** The endpoint refuses everything: nothing is set aside. @param page what was refused, where one record may be all of it */
export function asEndpoint(refused: Unanswered, page: PageRecord[] = []): Unanswered {
  const { unconfirmed } = refused;
  const [one, ...more] = page;
  const tried =
    one && more.length === 0 ? `record ${one._id}, the only one of its page` : 'every record tried';
  const reason = reasonOverMany(unconfirmed.reason, tried);
  const advice = unconfirmed.advice ?? 'ask the customer what its endpoint expects; nothing was set aside';
  return { ...refused, unconfirmed: { ...unconfirmed, reason, advice }, isEndpoint: true };
}
