import type { ClientSession } from 'mongodb';
import type { Agent } from 'undici';
import { type Answer, classifyAnswer, type Verdict } from '../domain/classify-answer';
import { type PageMeta, renderPage } from '../domain/render-page';
import { parseRetryAfter } from '../domain/retry-delay';
import { type Channel, findChannel } from '../store/channels';
import type { Store } from '../store/connect';
import { moveMarker, type Progress, skipMarker } from '../store/markers';
import type { PageRecord } from '../store/records';
import { isSelected } from '../store/selection';
import { readPageRecords } from '../store/window';
import { sendPage } from './customer/send-page';
import type { DeliverInput } from './deliver-pages';
import type { Selections } from './selections';

export interface PageDeps {
  store: Store;
  agent: Agent;
  selections: Selections;
}

export type PageAttempt = PageDeps & {
  input: DeliverInput;
  session: ClientSession;
  signal: AbortSignal;
  delivery: string;
  /** What is left of the window to be delivered, and the account whose catch-up it is. */
  window: { to: number; total: number; account?: string };
  /** The marker's id, the generation it was planned with, and the epoch that this attempt may move it with. */
  fence: { id: string; generation: number; epoch: number };
};

export type Unconfirmed = Verdict & { status: number | null; retry_after_ms: number | null };

/** How far an attempt has come: the position, what was confirmed, and the channel as it was last read. */
export interface Place {
  at: number;
  progress: Progress;
  channel: Channel;
  last: string | null;
}

export type PageStep =
  | Place
  | { stopped: 'superseded' | 'resized' | 'paused' }
  /** `answer` is the customer's own text: for the report, never for a history. */
  | { unconfirmed: Unconfirmed; answer: string };

/** Reads, posts and confirms the next page: one find, one read of the channel, one move (performance, F4). */
export async function deliverPage(attempt: PageAttempt, place: Place): Promise<PageStep> {
  const { store, input, window, fence } = attempt;
  const read = await readPage(attempt, place);
  // Right before the POST: what an operator or a farmer changed counts from this page on (commit-order, sharing).
  const channel = await findChannel(store, input.channel, attempt.session);
  if (!channel) return { stopped: 'superseded' };
  if (channel.state === 'paused') return { stopped: 'paused' };
  if (channel.page_size !== input.page_size) return { stopped: 'resized' };
  const page = await stillShared(attempt, place.channel, channel, read);

  // A page that is not full is the window's last: what is left of it holds nothing for this channel.
  const at = read.length < input.page_size ? window.to : read.at(-1)!.position;
  const last = page.at(-1);
  if (!last) {
    const moved = await skipMarker(store, fence, at);
    return moved ? { ...place, at, channel } : { stopped: 'superseded' };
  }
  const wires = page.map(({ wire }) => wire);
  const body = renderPage(wires, metaOf(attempt, place.progress, page.length));
  const started = performance.now();
  const answer = await sendPage(attempt, channel, body, {
    delivery: attempt.delivery,
    entityType: input.entity_type,
    generation: fence.generation,
    epoch: fence.epoch,
    account: window.account,
  });
  const verdict = classifyAnswer(answer);
  if (verdict) {
    const unconfirmed = { ...verdict, status: answer.status, retry_after_ms: wait(answer) };
    return { unconfirmed, answer: answer.status === null ? '' : answer.excerpt };
  }

  const progress = {
    delivery: attempt.delivery,
    pages: place.progress.pages + 1,
    records: place.progress.records + page.length,
    bytes: place.progress.bytes + body.length,
  };
  const moved = await moveMarker(store, fence, { position: at, timestamp: last.updated_at, progress });
  if (!moved) return { stopped: 'superseded' };
  return { at, progress, channel, last: `${answer.status} in ${Math.round(performance.now() - started)} ms` };
}

async function readPage(attempt: PageAttempt, { at, channel }: Place): Promise<PageRecord[]> {
  const { store, input, session, window } = attempt;
  const selection = window.account
    ? { companies: channel.companies, shared: new Set([window.account]) }
    : await attempt.selections(channel, session);
  return readPageRecords(store, input.entity_type, {
    window: { after: at, upTo: window.to },
    selection,
    limit: input.page_size,
    span: spanOf(input),
    session,
  });
}

/** Twice the positions that a page takes on average: gaps and changed records lie where they like. */
function spanOf({ from, to, records, page_size }: DeliverInput): number {
  return Math.ceil((2 * page_size * (to - from)) / Math.max(1, records));
}

/** Drops what a farmer has stopped sharing since the page was read. */
async function stillShared(
  attempt: PageAttempt,
  before: Channel,
  now: Channel,
  page: PageRecord[],
): Promise<PageRecord[]> {
  const { account } = attempt.window;
  if (!account && now.shares_version === before.shares_version) return page;
  const selection = await attempt.selections(now, attempt.session);
  if (account) return selection.shared?.has(account) ? page : [];
  return page.filter((record) => isSelected(selection, record));
}

function metaOf({ input, window }: PageAttempt, progress: Progress, records: number): PageMeta {
  return {
    current_page: progress.pages + 1,
    page_count: records,
    page_size: input.page_size,
    total_count: window.total,
    total_pages: Math.ceil(window.total / input.page_size),
  };
}

function wait(answer: Answer): number | null {
  const retryAfter = answer.status === null ? undefined : answer.retryAfter;
  return parseRetryAfter(retryAfter, Date.now()) ?? null;
}
