import type { PageFailure } from '../../domain/classify-answer';
import { ofEndpoint, ofTooMany } from '../../domain/failure-message';
import { searchRefused, type SearchStep } from '../../domain/search-refused';
import { type Channel, limitPageSize } from '../../store/channels/channels';
import { noteStumble, setAside, type StumbleAt } from '../../store/deliveries/set-aside';
import { isConfirmedSince } from '../../store/markers/markers';
import type { PageRecord } from '../../store/records/records';
import type { Posted } from './hand-out';
import { type DeliverySlice, type Ended, isSearchOver, spentOf, type Unanswered } from './slice';

/** A page that was not confirmed, of a window or of released records. */
export interface Unpassed {
  records: PageRecord[];
  /** Where it is noted how often the page has failed. */
  begins: StumbleAt;
  channel: Channel;
  /** Other pages were confirmed, so a refusal concerns the record and not the endpoint. */
  endpointWorks: boolean;
  post: (records: PageRecord[]) => Promise<Posted | Ended>;
  /**
   * Passes everything up to `last`: confirmed, or set aside. `confirmed` are the records that were confirmed
   * since the last call.
   */
  pass: (last: PageRecord, confirmed: PageRecord[], bytes: number) => Promise<Ended | undefined>;
  /** The page and the record after it. */
  withNext: () => Promise<Unpassed>;
}

/**
 * Finds out whether some records of a page are the reason why it was not confirmed, sets these aside and
 * delivers all others.
 * @returns how the delivery ends; undefined to continue with what is not passed yet
 */
export async function searchUnconfirmed(
  slice: DeliverySlice,
  page: Unpassed,
  answer: Unanswered,
): Promise<Ended | undefined> {
  const { failure, status } = answer.unconfirmed;
  const { page_size, first } = slice.input;
  if (failure === 'too_large') return shrinkPage(slice, page, page.records, answer);
  if (answer.isCutOff)
    return (await isPerhapsTooLong(slice, page)) ? shrinkIfTooLong(slice, page, answer) : answer;
  if (failure !== 'refused') {
    if (!(await isStumblingBlock(slice, page, answer))) return answer;
    // The limits of a first slice could cut the search off, and a run begins only one such search (`isStumblingBlock`).
    if (first) return { end: 'more' };
  }
  // With pages of one record, the next record shows whether this one or everything is refused.
  const compared = page_size === 1 && !page.endpointWorks ? await page.withNext() : page;
  return searchPage(slice, compared, { refused: answer, as: failure === 'refused' ? null : status });
}

/** A search in progress: how many records are passed, and the confirmed ones with their share of bytes. */
interface Search {
  settled: number;
  confirmed: Map<PageRecord, number>;
  refused: Unanswered;
  /** The status that counts as a refusal, when a record makes the receiver fail; else null. */
  as: number | null;
}

async function searchPage(
  slice: DeliverySlice,
  page: Unpassed,
  { refused, as }: Pick<Search, 'refused' | 'as'>,
): Promise<Ended | undefined> {
  const { records, endpointWorks } = page;
  const search: Search = { settled: 0, confirmed: new Map(), refused, as };
  const steps = searchRefused(records.length, endpointWorks);
  for (let next = steps.next(false); ;) {
    if (next.done) return next.value === 'settled' ? undefined : asEndpoint(search.refused, records);
    const step = next.value;
    const result = await (step.do === 'post'
      ? post(slice, page, search, step)
      : settle(slice, page, search, step));
    if (typeof result !== 'boolean') return result ?? undefined;
    next = steps.next(result);
  }
}

/**
 * @returns `true` if the batch was confirmed, `false` if it was refused; else how the delivery ends, or null
 * if the search ends because a single record was too large and is set aside
 */
async function post(
  slice: DeliverySlice,
  page: Unpassed,
  search: Search,
  { from, to }: { from: number; to: number },
): Promise<boolean | Ended | null> {
  const tooMany = countProbe(slice, search.refused);
  if (tooMany) return tooMany;
  if (isSearchOver(slice)) return { end: 'more' };
  const batch = page.records.slice(from, to);
  const posted = await page.post(batch);
  if ('end' in posted) {
    if (posted.end !== 'unconfirmed') return posted;
    const { failure, status } = posted.unconfirmed;
    if (failure === 'too_large') {
      // The last record alone, as a probe: any answer other than a refusal shows that the endpoint does not refuse
      // everything. It is posted again later.
      if (batch.length === 1 && from > search.settled) return true;
      return (await shrinkPage(slice, page, batch, posted)) ?? null;
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
  { records, pass }: Unpassed,
  search: Search,
  step: Exclude<SearchStep, { do: 'post' }>,
): Promise<boolean | Ended> {
  if (step.do === 'set-aside')
    return (await setRecordAside(slice, records[step.at]!, search.refused)) ?? true;
  const sent = records.slice(search.settled, step.to).filter((record) => search.confirmed.has(record));
  const bytes = sent.reduce((sum, record) => sum + search.confirmed.get(record)!, 0);
  const ended = await pass(records[step.to - 1]!, sent, Math.round(bytes));
  if (ended) return ended;
  search.settled = step.to;
  return true;
}

/**
 * After a page that was cut off: posts one record alone, the page's first, or for a page of one record the
 * next one. If that is confirmed or refused, the customer is there and the page too long: the page size is
 * halved and stored, and a single record is set aside. Otherwise nothing is halved or set aside. A released
 * record without a next one is set aside again if other pages of the channel were confirmed since it was
 * first cut off: left as it is, it would fail its entity type with every run.
 */
async function shrinkIfTooLong(
  slice: DeliverySlice,
  page: Unpassed,
  cutOff: Unanswered,
): Promise<Ended | undefined> {
  const isOne = page.records.length === 1;
  const other = isOne ? (await page.withNext()).records[1] : page.records[0];
  if (!other)
    return (await othersWereConfirmed(slice, page)) ? shrinkPage(slice, page, page.records, cutOff) : cutOff;
  slice.tally.totals.probes += 1;
  const posted = await page.post([other]);
  if ('end' in posted) {
    if (posted.end !== 'unconfirmed') return posted;
    if (!OF_THE_RECORD.includes(posted.unconfirmed.failure)) return cutOff;
  } else {
    if (posted.sent.length === 0) return cutOff; // the record is no longer shared: nothing was posted
    const ended = !isOne && (await page.pass(other, posted.sent, posted.bytes));
    if (ended) return ended; // beside a page of one record, the next record is sent again when its turn comes
  }
  return shrinkPage(slice, page, page.records, cutOff);
}

async function othersWereConfirmed(
  { process: { store }, input, delivery }: DeliverySlice,
  { begins }: Unpassed,
): Promise<boolean> {
  if (begins.collection !== 'set_aside') return false;
  const { since } = await noteStumble(store, begins, { status: CUT_OFF, delivery });
  return isConfirmedSince(store, input.channel, since);
}

const OF_THE_RECORD: PageFailure[] = ['refused', 'too_large'];

/** After a 413, or a page that was cut off: halves the page size and stores it; a single record is set aside. */
async function shrinkPage(
  slice: DeliverySlice,
  { pass }: Unpassed,
  part: PageRecord[],
  tooLarge: Unanswered,
): Promise<Ended | undefined> {
  const [record, ...more] = part;
  if (more.length > 0) {
    const { store } = slice.process;
    const half = Math.floor(part.length / 2);
    await limitPageSize(store, slice.input.channel, half, { cutOff: tooLarge.isCutOff === true });
    return { end: 'resized' };
  }
  const tooMany = await setRecordAside(slice, record!, tooLarge);
  return tooMany ?? pass(record!, [], 0);
}

const ASKS_FOR_TIME = [425, 429, 503];
// The customer is away or asks for time: such a status says nothing of the page.
const PASSING = [...ASKS_FOR_TIME, 408, 502, 504];
const DELIVERIES_BEFORE = 2;
const CUT_OFF = 0; // in the place of a status

/** Whether one record may have drawn this answer: even a 502, which a proxy sends if the receiver crashes. */
export const mayBeOfItsRecords = ({ unconfirmed: { status } }: Unanswered) =>
  status !== null && !ASKS_FOR_TIME.includes(status);

/**
 * Whether this page makes the receiver, or a firewall before it, fail: it drew the same status in two earlier
 * deliveries while the customer confirmed other pages. Such a page is searched like a refused one, once per
 * run.
 */
async function isStumblingBlock(
  slice: DeliverySlice,
  { begins }: Unpassed,
  { unconfirmed: { status } }: Unanswered,
): Promise<boolean> {
  const { delivery, input, process } = slice;
  if (status === null || PASSING.includes(status)) return false;
  const { since, deliveries } = await noteStumble(process.store, begins, { status, delivery });
  if (deliveries <= DELIVERIES_BEFORE) return false;
  return spentOf(slice).probes === 0 && isConfirmedSince(process.store, input.channel, since);
}

/**
 * Whether to find out if a page that was cut off is too long for the customer: once per run, if it was cut
 * off in two earlier deliveries or a longer page is known to have been too long. Never in the main queue,
 * where this would hold up others.
 */
async function isPerhapsTooLong(
  slice: DeliverySlice,
  { begins, channel: { page_limit }, records }: Unpassed,
): Promise<boolean> {
  const { process, input, delivery } = slice;
  const { deliveries } = await noteStumble(process.store, begins, { status: CUT_OFF, delivery });
  const isKnown = page_limit?.cut_off === true && records.length > 1;
  if (deliveries <= DELIVERIES_BEFORE && !isKnown) return false;
  const isInMainQueue = input.first && !input.unanswered;
  return !isInMainQueue && spentOf(slice).probes === 0 && !process.draining();
}

// Per run: a customer that refuses more than this has a problem of another kind.
export const MAX_SET_ASIDE = 20;
// Per run, over all its pages.
const MAX_REQUESTS = 60;

/** Sets a record aside, before the marker passes it. @returns how the delivery ends if there are too many */
async function setRecordAside(
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

/**
 * Counts a request that searches for refused records.
 * @returns how the delivery ends if there are too many
 */
export function countProbe(slice: DeliverySlice, refused: Unanswered): Unanswered | undefined {
  const { set_aside, probes } = spentOf(slice);
  if (probes >= MAX_REQUESTS) {
    if (set_aside + slice.tally.totals.records === 0) return asEndpoint(refused);
    return asTooMany(refused, `records found one by one, in ${MAX_REQUESTS} requests`);
  }
  slice.tally.totals.probes += 1;
  return undefined;
}

const asTooMany = (refused: Unanswered, many: string): Unanswered => ({
  ...refused,
  unconfirmed: ofTooMany(refused.unconfirmed, many),
});

/** The endpoint refuses everything: nothing is set aside. If the page has one record, the reason names it. */
const asEndpoint = (refused: Unanswered, [one, ...more]: PageRecord[] = []): Unanswered => ({
  ...refused,
  unconfirmed: ofEndpoint(refused.unconfirmed, more.length === 0 ? one?._id : undefined),
  isEndpoint: true,
});
