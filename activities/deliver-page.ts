import type { ClientSession } from 'mongodb';
import type { Agent } from 'undici';
import type { Verdict } from '../domain/classify-answer';
import type { Totals } from '../domain/totals';
import type { Channel } from '../store/channels';
import type { Store } from '../store/connect';
import type { FailedAttempt } from '../store/deliveries';
import { moveMarker, type Progress, skipMarker } from '../store/markers';
import type { PageRecord } from '../store/records';
import { clearSetAside } from '../store/set-aside';
import { type Page, readPageRecords } from '../store/window';
import type { HostTurns } from './customer/host-turns';
import type { DeliverInput } from './deliver-pages';
import { postRecords } from './post-records';
import { searchPage } from './search-page';
import type { Selections } from './selections';
import { shrinkPage } from './shrink-page';

export interface PageDeps {
  store: Store;
  agent: Agent;
  turns: HostTurns;
  selections: Selections;
}

export type PageAttempt = PageDeps & {
  input: DeliverInput;
  session: ClientSession;
  signal: AbortSignal;
  delivery: string;
  /** What is left to be delivered, the account whose catch-up it is; with a `limit`, one page of at most so many. */
  window: { to: number; total: number; account?: string; limit?: number };
  /** The marker's id, the generation it was planned with, and the epoch that this attempt may move it with. */
  fence: { id: string; generation: number; epoch: number };
  /** The records of this entity type that are set aside, and since when: one that is confirmed is so no more. */
  aside: Map<string, Date>;
  /** The delivery's; searching for refused records adds to it. */
  totals: Totals;
  /** Whether a search has to be handed on, to begin again in another activity. */
  isOver: () => boolean;
};

export type Unconfirmed = Verdict & { status: number | null; retry_after_ms: number | null };
export type Stopped = { stopped: 'superseded' | 'resized' | 'paused' | 'more' };
/** What the customer said to which request: for the report, never for a history. */
export type Said = Required<Pick<FailedAttempt, 'answer' | 'request_id'>>;
export type Unanswered = { unconfirmed: Unconfirmed } & Said;

/** How far an attempt has come: the position, what was confirmed, and the channel as it was last read. */
export interface Place {
  at: number;
  progress: Progress;
  channel: Channel;
  last: string | null;
}

export type PageStep = Place | Stopped | Unanswered;

/** Reads, posts and confirms the next page: one find, one read of the channel, one move (performance, F4). */
export async function deliverPage(attempt: PageAttempt, place: Place): Promise<PageStep> {
  const page = await readPage(attempt, place);
  const posted = await postRecords(attempt, place, page.records);
  if ('stopped' in posted) return posted;
  if ('unconfirmed' in posted) {
    const { failure } = posted.unconfirmed;
    if (failure === 'too_large') return shrinkPage(attempt, place, page.records, posted);
    if (failure !== 'refused') return posted;
    // With pages of one record, the next one shows whether it is the record that is refused, or everything.
    const compared = limitOf(attempt) === 1 ? await readPage(attempt, place, 2) : page;
    return searchPage(attempt, place, compared, posted);
  }
  const { sent, bytes, ...seen } = posted;
  const pages = sent.length > 0 ? 1 : 0;
  return confirm(attempt, { ...place, ...seen }, sent, { at: page.end, bytes, pages });
}

async function readPage(
  attempt: PageAttempt,
  { at, channel }: Place,
  limit = limitOf(attempt),
): Promise<Page> {
  const { store, input, session, window } = attempt;
  const selection = window.account
    ? { companies: channel.companies, shared: new Set([window.account]) }
    : await attempt.selections(channel, session);
  return readPageRecords(store, input.entity_type, {
    window: { after: at, upTo: window.to },
    selection,
    limit,
    span: spanOf(input),
    session,
  });
}

/** Twice the positions that a page takes on average: gaps and changed records lie where they like. */
function spanOf({ from, to, records, page_size }: DeliverInput): number {
  return Math.ceil((2 * page_size * (to - from)) / Math.max(1, records));
}

const limitOf = ({ input, window }: PageAttempt) => window.limit ?? input.page_size;

/** Moves the marker past what the customer has confirmed, and not a step further (commit-order 3). */
export async function confirm(
  attempt: PageAttempt,
  place: Place,
  sent: PageRecord[],
  past: { at: number; bytes: number; pages: 0 | 1 },
): Promise<Place | Stopped> {
  const { store, input, fence } = attempt;
  const { at, bytes, pages } = past;
  const last = sent.at(-1);
  const progress = {
    delivery: attempt.delivery,
    pages: place.progress.pages + pages,
    records: place.progress.records + sent.length,
    bytes: place.progress.bytes + bytes,
  };
  const moved = last
    ? await moveMarker(store, fence, { position: at, timestamp: last.updated_at, progress })
    : await skipMarker(store, fence, at);
  if (!moved) return { stopped: 'superseded' };
  attempt.totals.pages += pages;
  attempt.totals.records += sent.length;
  attempt.totals.bytes += bytes;
  const taken = sent.flatMap(({ _id: record, position }) => {
    const at = attempt.aside.get(record);
    attempt.aside.delete(record);
    return at ? [{ record, position, at }] : [];
  });
  if (taken.length > 0) await clearSetAside(store, input, taken);
  return { ...place, at, progress };
}
