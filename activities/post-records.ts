import { randomUUID } from 'node:crypto';
import { type Answer, classifyAnswer } from '../domain/classify-answer';
import { type PageMeta, renderPage } from '../domain/render-page';
import { parseRetryAfter } from '../domain/retry-delay';
import { type Channel, findChannel, pageSizeOf } from '../store/channels';
import type { PageRecord } from '../store/records';
import { isSelected } from '../store/selection';
import { PAGES_TO_A_HOST } from './customer/host-turns';
import { sendPage } from './customer/send-page';
import type { PageAttempt, Place, Stopped, Unanswered } from './deliver-page';

/** What was confirmed: `sent` without the records that a farmer stopped sharing meanwhile; they are nobody's now. */
export interface Posted {
  sent: PageRecord[];
  bytes: number;
  channel: Channel;
  /** "200 in 84 ms"; null when there was nothing left to send. */
  last: string | null;
}

/** One POST of records that were read, when its host has a turn for it. */
export async function postRecords(
  attempt: PageAttempt,
  place: Place,
  read: PageRecord[],
): Promise<Posted | Stopped | Unanswered> {
  const leave = await attempt.turns.take(hostOf(place.channel));
  if (!leave) return NO_TURN;
  try {
    return await postNow(attempt, place, read);
  } finally {
    leave();
  }
}

const hostOf = ({ base_url }: Channel) => (URL.canParse(base_url) ? new URL(base_url).host : base_url);

const NO_TURN: Unanswered = {
  unconfirmed: {
    failure: 'unavailable',
    reason: `is slow to answer the ${PAGES_TO_A_HOST} pages that are under way to its host`,
    ...{ advice: undefined, status: null, retry_after_ms: null },
  },
  ...{ answer: '', request_id: '' },
};

/** What the channel is now is looked up right before it is sent (commit-order, sharing). */
async function postNow(
  attempt: PageAttempt,
  place: Place,
  read: PageRecord[],
): Promise<Posted | Stopped | Unanswered> {
  const { store, input, window, fence } = attempt;
  const channel = await findChannel(store, input.channel, attempt.session);
  if (!channel) return { stopped: 'superseded' };
  if (channel.state === 'paused') return { stopped: 'paused' };
  if (pageSizeOf(channel, Date.now()) !== input.page_size) return { stopped: 'resized' };
  const sent = await stillShared(attempt, place.channel, channel, read);
  if (sent.length === 0) return { sent, bytes: 0, channel, last: null };
  const wires = sent.map(({ wire }) => wire);
  const body = renderPage(wires, metaOf(attempt, place, sent.length));
  const started = performance.now();
  const request_id = randomUUID();
  const mayRepeat = () => isUnchanged(attempt, channel);
  const answer = await sendPage({ ...attempt, mayRepeat }, channel, body, {
    requestId: request_id,
    delivery: attempt.delivery,
    entityType: input.entity_type,
    generation: fence.generation,
    epoch: fence.epoch,
    account: window.account,
  });
  const verdict = classifyAnswer(answer);
  if (verdict) {
    const unconfirmed = { ...verdict, status: answer.status, retry_after_ms: wait(answer) };
    return { unconfirmed, answer: answer.status === null ? '' : answer.excerpt, request_id };
  }
  const last = `${answer.status} in ${Math.round(performance.now() - started)} ms`;
  return { sent, bytes: body.length, channel, last };
}

/** Nobody has revoked, granted, paused or led elsewhere meanwhile: no POST goes out on what was true before. */
async function isUnchanged({ store, session }: PageAttempt, before: Channel): Promise<boolean> {
  const now = await findChannel(store, before._id, session);
  return (
    now?.state === before.state &&
    now.shares_version === before.shares_version &&
    now.base_url === before.base_url
  );
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

function metaOf({ input, window }: PageAttempt, { progress }: Place, records: number): PageMeta {
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
