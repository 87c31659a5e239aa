import { randomUUID } from 'node:crypto';
import type { ClientSession } from 'mongodb';
import type { Agent } from 'undici';
import { type Answer, classifyAnswer, type Verdict } from '../domain/classify-answer';
import { type PageMeta, renderPage } from '../domain/render-page';
import { parseRetryAfter } from '../domain/retry-delay';
import { type Channel, findChannel, openSecrets } from '../store/channels';
import type { Store } from '../store/connect';
import { moveMarker, type Progress, skipMarker } from '../store/markers';
import { type PageRecord, readPageRecords } from '../store/records';
import { postPage } from './customer/post-page';
import { signPage, webhookId } from './customer/sign-page';
import type { DeliverInput } from './deliver-pages';

export interface PageDeps {
  store: Store;
  agent: Agent;
}

export type PageAttempt = PageDeps & {
  input: DeliverInput;
  session: ClientSession;
  signal: AbortSignal;
  delivery: string;
  /** The marker's id, and the epoch that this attempt may move it with. */
  fence: { id: string; epoch: number };
};

export type Unconfirmed = Verdict & { status: number | null; retry_after_ms: number | null };

export type PageStep =
  | { at: number; progress: Progress; last: string | null }
  | { stopped: 'superseded' | 'resized' | 'paused' }
  | { unconfirmed: Unconfirmed };

/** Reads, posts and confirms the page after `at`: one find, one read of the channel, one move (performance, F4). */
export async function deliverPage(attempt: PageAttempt, at: number, progress: Progress): Promise<PageStep> {
  const { store, input, fence } = attempt;
  // Before every POST: what an operator changed counts from the next page on (commit-order, sharing).
  const channel = await findChannel(store, input.channel);
  if (!channel) return { stopped: 'superseded' };
  if (channel.state === 'paused') return { stopped: 'paused' };
  if (channel.page_size !== input.page_size) return { stopped: 'resized' };

  const page = await readPage(attempt, channel, at);
  const last = page.at(-1);
  if (!last) {
    const moved = await skipMarker(store, fence, input.to);
    return moved ? { at: input.to, progress, last: null } : { stopped: 'superseded' };
  }
  const body = renderPage(
    page.map(({ wire }) => wire),
    metaOf(input, progress, page),
  );
  const started = performance.now();
  const answer = await post(attempt, channel, body);
  const verdict = classifyAnswer(answer);
  if (verdict) return { unconfirmed: { ...verdict, status: answer.status, retry_after_ms: wait(answer) } };

  // A page that is not full is the window's last: what is left of it holds nothing for this channel.
  const position = page.length < input.page_size ? input.to : last.position;
  const done = {
    delivery: attempt.delivery,
    pages: progress.pages + 1,
    records: progress.records + page.length,
    bytes: progress.bytes + body.length,
  };
  const moved = await moveMarker(store, fence, { position, timestamp: last.updated_at, progress: done });
  if (!moved) return { stopped: 'superseded' };
  return {
    at: position,
    progress: done,
    last: `${answer.status} in ${Math.round(performance.now() - started)} ms`,
  };
}

function readPage(
  { store, input, session }: PageAttempt,
  channel: Channel,
  after: number,
): Promise<PageRecord[]> {
  return readPageRecords(store, input.entity_type, {
    window: { after, upTo: input.to },
    companies: channel.companies,
    limit: input.page_size,
    session,
  });
}

function metaOf(input: DeliverInput, progress: Progress, page: PageRecord[]): PageMeta {
  return {
    current_page: progress.pages + 1,
    page_count: page.length,
    page_size: input.page_size,
    total_count: input.records,
    total_pages: Math.ceil(input.records / input.page_size),
  };
}

function post(attempt: PageAttempt, channel: Channel, body: Buffer): Promise<Answer> {
  const { input, store } = attempt;
  const now = new Date();
  const { authorization, signingSecrets } = openSecrets(store, channel, now);
  const { channel: slug, entity_type: entityType, generation } = input;
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'grain-data-exchange',
    'x-request-id': randomUUID(),
    'x-channel-slug': slug,
    'x-entity-type': entityType,
    'x-delivery-id': attempt.delivery,
    'x-feed-epoch': String(attempt.fence.epoch),
    ...signPage(webhookId({ channel: slug, entityType, generation }, body), body, signingSecrets, now),
    ...(authorization === undefined ? {} : { authorization }),
  };
  const url = `${channel.base_url.replace(/\/+$/, '')}/feed`;
  return postPage(attempt.agent, { url, headers, body }, attempt.signal);
}

function wait(answer: Answer): number | null {
  const retryAfter = answer.status === null ? undefined : answer.retryAfter;
  return parseRetryAfter(retryAfter, Date.now()) ?? null;
}
