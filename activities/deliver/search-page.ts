import { searchRefused, type SearchStep } from '../../domain/search-refused';
import type { PageRecord } from '../../store/records/records';
import type { Page } from '../../store/window/window';
import { type DeliverySlice, type Ended, isSearchOver, type Unanswered } from './slice';
import { confirmPage } from './confirm-page';
import type { Cursor } from './cursor';
import { postRecords } from './post-records';
import { asEndpoint, countProbe, setRecordAside } from './set-record-aside';
import { shrinkPage } from './shrink-page';

/**
 * A search in progress: how far the page is settled, and the confirmed records beyond that with their share of the
 * bytes.
 */
interface Search {
  page: Page;
  settled: number;
  confirmed: Map<PageRecord, number>;
  refused: Unanswered;
  /** The server error that counts as a refusal, where a record makes the receiver fail. */
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
    if (next.done) return next.value === 'settled' ? undefined : asEndpoint(search.refused);
    const step = next.value;
    const result =
      step.do === 'post'
        ? await post(slice, cursor, search, step)
        : await settle(slice, cursor, search, step);
    if (typeof result !== 'boolean') return result ?? undefined;
    next = steps.next(result);
  }
}

/** @returns whether the batch was confirmed; else what ends the search (null: the page was shrunk) */
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
  const posted = await postRecords(slice, cursor, batch);
  if ('end' in posted) {
    if (posted.end !== 'unconfirmed') return posted;
    const { failure, status } = posted.unconfirmed;
    if (failure === 'too_large') {
      // The probe of the last record alone: it only has to differ from the first, and is posted again later.
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
