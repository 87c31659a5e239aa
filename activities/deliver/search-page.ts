import { ofEndpoint, ofTooMany } from '../../domain/deliveries/failure-message';
import { searchRefused, type SearchStep, type Tried } from '../../domain/deliveries/search-refused';
import { type Channel, limitPageSize, pageLimitOf } from '../../store/channels/channels';
import { noteStumble, type Refusal, type Stumble, type StumbleAt } from '../../store/deliveries/set-aside';
import { type Marker, readMarkers } from '../../store/markers/markers';
import { recordToCompare } from '../../store/window/record-to-compare';
import type { PageRecord } from '../../store/records/records';
import type { Posted } from './give-out';
import {
  type DeliverySlice,
  type Ended,
  isInMainQueue,
  isSearchAtLimit,
  spentOf,
  type NotConfirmed,
} from './slice';

/** A page that was not confirmed, of a window or of released records. */
export interface FailedPage {
  records: PageRecord[];
  /** The ids of those that were set aside before, and released: each was refused alone twice. */
  released?: ReadonlySet<string>;
  /** Where it is noted how often the page has failed. */
  begins: StumbleAt;
  channel: Channel;
  post: (records: PageRecord[]) => Promise<Posted | Ended>;
  /** Moves past everything up to `last`: it is confirmed, in `posted` if it was since the last call, or set aside if `refused` is given. */
  moveTo: (last: PageRecord, posted: Posted, refused?: Refusal) => Promise<Ended | undefined>;
  /** Of one account's records: the one after the page. What other accounts have goes on beside it, and it is not compared with theirs. */
  next?: () => Promise<PageRecord | undefined>;
}

// How doubtful it is that records are why a page was not confirmed. An answer of more doubt than the page's ends a search.
const [REFUSED, FAILED, CUT_OFF, NOT_OF_THE_PAGE] = [0, 1, 2, 3] as const;
const ASKS_FOR_TIME = [425, 429, 503];
const PASSING = [...ASKS_FOR_TIME, 408, 502, 504];
const DELIVERIES_BEFORE = 2;

function doubtOf({ unconfirmed: { failure, status }, isCutOff }: NotConfirmed): number {
  if (failure === 'refused' || failure === 'too_large') return REFUSED;
  if (isCutOff) return CUT_OFF;
  return status === null || failure === 'gone' || PASSING.includes(status) ? NOT_OF_THE_PAGE : FAILED;
}

/** Whether one record may have drawn this answer: even a 502, which a proxy sends if the receiver crashes. */
export const mayBeOfItsRecords = ({ unconfirmed: { status } }: NotConfirmed) =>
  status !== null && !ASKS_FOR_TIME.includes(status);

/**
 * Finds the records for which a page was not confirmed, sets these aside and delivers all others (docs/decisions/0011). What may
 * have another reason is searched once a run: in its third delivery, or if a longer page is known to have been cut off.
 * @returns how the delivery ends; undefined to continue with what is left
 */
export async function searchUnconfirmed(
  slice: DeliverySlice,
  page: FailedPage,
  answer: NotConfirmed,
): Promise<Ended | undefined> {
  const doubt = doubtOf(answer);
  if (doubt === NOT_OF_THE_PAGE) return answer;
  if (isTooLong(slice, answer)) return limit(slice, answer, answer.posted!.length);
  const stumble = await noteStumble(slice.process.store, page.begins, { delivery: slice.delivery });
  const isKnown =
    pageLimitOf(page.channel, slice.input.entity_type)?.cut_off === true && page.records.length > 1;
  const isDue = stumble.deliveries > DELIVERIES_BEFORE || (doubt === CUT_OFF && isKnown);
  if (doubt !== REFUSED && (!isDue || spentOf(slice).probes > 0)) return answer;
  // In the main queue it would hold up others. What was cut off is tried again in the queue of its kind.
  if (doubt !== REFUSED && isInMainQueue(slice)) return doubt === CUT_OFF ? answer : { end: 'more' };
  return new PageSearch(slice, page, answer).run(stumble);
}

const NOTHING: Tried<PageRecord> = { posted: [], confirmed: true };

class PageSearch {
  private movedTo = 0;
  /** The records that were confirmed, with their share of bytes. */
  private readonly confirmed = new Map<PageRecord, number>();

  constructor(
    private readonly slice: DeliverySlice,
    private readonly page: FailedPage,
    private answer: NotConfirmed,
    private readonly doubt = doubtOf(answer),
  ) {}

  async run(stumble: Stumble): Promise<Ended | undefined> {
    const { records, released } = this.page;
    const isSince = ((await this.marker())?.delivered_at ?? 0) > (stumble.confirmed ?? 0);
    const isKnown = ({ _id, position }: PageRecord) =>
      (isSince && stumble.refused?.includes(position)) || (this.doubt === REFUSED && released?.has(_id));
    const steps = searchRefused(records, {
      refused: this.answer.posted!,
      before: records.filter(isKnown),
      careful: this.doubt !== REFUSED,
    });
    for (let next = steps.next(); ;) {
      if (next.done) return next.value.length > 0 ? this.ofEndpoint(next.value) : undefined;
      const result = (await this.take(next.value)) ?? NOTHING;
      if ('end' in result) return result;
      next = steps.next(result);
    }
  }

  private async take(step: SearchStep<PageRecord>): Promise<Tried<PageRecord> | Ended | undefined> {
    if (step.do === 'post') return this.post(step.records);
    if (step.do === 'compare') return this.compare();
    if (step.do === 'move') return this.moveTo(step.upTo, step.isAtFault);
    // A page that was refused by a customer in short trouble looks the same: it is too long if the next one fails as well.
    if (this.doubt !== REFUSED) return limit(this.slice, this.answer, step.records);
    this.slice.tally.tooLong = step.records;
    return undefined;
  }

  private async post(records: PageRecord[]): Promise<Tried<PageRecord> | Ended> {
    const tooMany = countProbe(this.slice, this.answer);
    if (tooMany) return tooMany;
    if (isSearchAtLimit(this.slice)) return { end: 'more' };
    const posted = await this.page.post(records);
    if (!('end' in posted)) {
      for (const record of posted.sent) this.confirmed.set(record, posted.bytes / posted.sent.length);
      return { posted: posted.sent, confirmed: true };
    }
    if (posted.end !== 'unconfirmed' || doubtOf(posted) > this.doubt) return posted;
    if (isTooLong(this.slice, posted)) return limit(this.slice, posted, posted.posted!.length);
    this.answer = posted;
    return { posted: posted.posted!, confirmed: false };
  }

  /** Posts one of elsewhere that the customer took before, or that no page has had yet. */
  private async compare(): Promise<Tried<PageRecord> | Ended> {
    const { channel, records, next = () => this.recordOfType(channel, records) } = this.page;
    const other = await next();
    return other ? this.post([other]) : NOTHING;
  }

  private async recordOfType(channel: Channel, tried: PageRecord[]): Promise<PageRecord | undefined> {
    const { process, input, session } = this.slice;
    const selection = await process.selections(channel, input.entity_type, session);
    const { began, position: passed = 0 } = (await this.marker()) ?? {};
    return recordToCompare(process.store, { ...input, began, passed }, { selection, session, tried });
  }

  /** Moves past all up to a record, which is set aside if it is at fault. */
  private async moveTo(upTo: PageRecord, isAtFault: boolean): Promise<Ended | undefined> {
    const { slice, page, answer, confirmed } = this;
    if (isAtFault && spentOf(slice).set_aside >= MAX_SET_ASIDE)
      return asTooMany(answer, `${MAX_SET_ASIDE} records`);
    const end = page.records.indexOf(upTo) + 1;
    const sent = page.records.slice(this.movedTo, end).filter((record) => confirmed.has(record));
    const bytes = Math.round(sent.reduce((sum, record) => sum + confirmed.get(record)!, 0));
    this.movedTo = end;
    slice.tally.totals.set_aside += Number(isAtFault);
    return page.moveTo(upTo, { sent, bytes }, isAtFault ? refusalOf(slice, upTo, answer) : undefined);
  }

  /** Sets nothing aside. What was refused alone is kept: it is at fault if it fails again once another one is confirmed. */
  private async ofEndpoint(records: PageRecord[]): Promise<NotConfirmed> {
    const { process, delivery } = this.slice;
    const refused = records.map(({ position }) => position);
    const confirmed = (await this.marker())?.delivered_at ?? null;
    await noteStumble(process.store, this.page.begins, { delivery, refused, confirmed });
    return this.doubt === CUT_OFF ? this.answer : asEndpoint(this.answer, records);
  }

  /** The type's own marker. */
  private async marker(): Promise<Marker | undefined> {
    const { process, input } = this.slice;
    return (await readMarkers(process.store, input.channel)).get(input.entity_type);
  }
}

/** More records than the customer takes at once: it says so, or as many have failed before and were confirmed in parts. */
const isTooLong = ({ tally }: DeliverySlice, { unconfirmed, posted }: NotConfirmed) =>
  posted!.length > 1 &&
  (unconfirmed.failure === 'too_large' || posted!.length >= (tally.tooLong ?? Infinity));

/** Halves the page size, and stores it. */
async function limit(slice: DeliverySlice, answer: NotConfirmed, failed: number): Promise<Ended> {
  const { process, input, tally } = slice;
  const records = Math.floor(Math.min(failed, tally.tooLong ?? failed) / 2);
  const cutOff = answer.isCutOff === true;
  await limitPageSize(process.store, input.channel, input.entity_type, records, { cutOff });
  return { end: 'resized' };
}

// Per run: a customer that refuses more than this has a problem of another kind.
export const MAX_SET_ASIDE = 20;
// Per run, over all its pages.
const MAX_REQUESTS = 60;

function refusalOf({ input, delivery }: DeliverySlice, record: PageRecord, refused: NotConfirmed): Refusal {
  const { failure, status } = refused.unconfirmed;
  return {
    ...{ channel: input.channel, entity_type: input.entity_type, delivery },
    ...{ record: record._id, position: record.position, answer: refused.answer, status: status ?? 0 },
    failure: failure === 'too_large' ? failure : 'refused',
  };
}

/**
 * Counts a request that searches for refused records.
 * @returns how the delivery ends if there are too many
 */
export function countProbe(slice: DeliverySlice, refused: NotConfirmed): NotConfirmed | undefined {
  const { set_aside, probes } = spentOf(slice);
  if (probes < MAX_REQUESTS) return void (slice.tally.totals.probes += 1);
  if (set_aside + slice.tally.totals.records === 0) return asEndpoint(refused);
  return asTooMany(refused, `records found one by one, in ${MAX_REQUESTS} requests`);
}

const asTooMany = (refused: NotConfirmed, many: string): NotConfirmed => ({
  ...refused,
  unconfirmed: ofTooMany(refused.unconfirmed, many),
});

/** The endpoint refuses all that was tried: nothing is set aside. If that was one record, the reason names it. */
const asEndpoint = (refused: NotConfirmed, [one, ...more]: PageRecord[] = []): NotConfirmed => ({
  ...refused,
  unconfirmed: ofEndpoint(refused.unconfirmed, more.length === 0 ? one?._id : undefined),
  isEndpoint: true,
});
