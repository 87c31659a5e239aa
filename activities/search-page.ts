import { type Deed, searchRefused } from '../domain/search-refused';
import type { Channel } from '../store/channels';
import type { PageRecord } from '../store/records';
import type { Page } from '../store/window';
import { confirm, type PageAttempt, type PageStep, type Place, type Stopped } from './deliver-page';
import type { Unanswered } from './deliver-page';
import { postRecords } from './post-records';
import { asTooMany, putAside } from './put-aside';
import { shrinkPage } from './shrink-page';

// In one delivery, all its pages together (delivery, "Answers").
const MOST_REQUESTS = 60;

/** A search under way: how far the page is settled, and what of the rest was confirmed, with its share of the bytes. */
interface Search {
  page: Page;
  place: Place;
  settled: number;
  /** The channel as it was when the page was read: whatever was revoked since is dropped from every part of it. */
  readAs: Channel;
  confirmed: Map<PageRecord, number>;
  refused: Unanswered;
}

type Ended = Stopped | Unanswered;

/** After a page was refused: finds the records it was refused for, sets them aside and delivers all others. */
export async function searchPage(
  attempt: PageAttempt,
  place: Place,
  page: Page,
  refused: Unanswered,
): Promise<PageStep> {
  const state: Search = { page, place, settled: 0, readAs: place.channel, confirmed: new Map(), refused };
  const search = searchRefused(page.records.length);
  for (let step = search.next(false); ;) {
    if (step.done) return step.value === 'settled' ? state.place : asEndpoint(state.refused);
    const deed = step.value;
    const result = deed.do === 'post' ? await post(attempt, state, deed) : await settle(attempt, state, deed);
    if (typeof result === 'object') return result;
    step = search.next(result);
  }
}

async function post(
  attempt: PageAttempt,
  state: Search,
  { from, to }: { from: number; to: number },
): Promise<boolean | PageStep> {
  if (attempt.totals.probes >= MOST_REQUESTS)
    return asTooMany(state.refused, `records found one by one, in ${MOST_REQUESTS} requests`);
  if (attempt.isOver()) return { stopped: 'more' };
  attempt.totals.probes += 1;
  const part = state.page.records.slice(from, to);
  const posted = await postRecords(attempt, { ...state.place, channel: state.readAs }, part);
  if ('stopped' in posted) return posted;
  if ('unconfirmed' in posted) {
    const { failure } = posted.unconfirmed;
    if (failure === 'too_large') {
      // The last alone: it is told apart from the first, and comes again in its turn.
      if (part.length === 1 && from > state.settled) return true;
      return shrinkPage(attempt, state.place, part, posted);
    }
    if (failure !== 'refused') return posted;
    state.refused = posted;
    return false;
  }
  const { sent, bytes, ...seen } = posted;
  state.place = { ...state.place, ...seen };
  for (const record of sent) state.confirmed.set(record, bytes / sent.length);
  return true;
}

async function settle(
  attempt: PageAttempt,
  state: Search,
  deed: Exclude<Deed, { do: 'post' }>,
): Promise<boolean | Ended> {
  const { records, end } = state.page;
  if (deed.do === 'set-aside') return (await putAside(attempt, records[deed.at]!, state.refused)) ?? true;
  const sent = records.slice(state.settled, deed.to).filter((record) => state.confirmed.has(record));
  const bytes = sent.reduce((sum, record) => sum + state.confirmed.get(record)!, 0);
  const whole = deed.to === records.length;
  const moved = await confirm(attempt, state.place, sent, {
    at: whole ? end : records[deed.to - 1]!.position,
    bytes: Math.round(bytes),
    pages: whole ? 1 : 0,
  });
  if ('stopped' in moved) return moved;
  state.place = moved;
  state.settled = deed.to;
  return true;
}

function asEndpoint({ unconfirmed, ...said }: Unanswered): Unanswered {
  const reason = `${unconfirmed.reason} to every record tried`;
  const advice = 'ask the customer what its endpoint expects; nothing was set aside';
  return { unconfirmed: { ...unconfirmed, reason, advice }, ...said };
}
