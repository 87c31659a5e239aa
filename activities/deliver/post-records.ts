import { randomUUID } from 'node:crypto';
import { HostBusy, MAX_PAGES_PER_HOST } from '../../customer/host-limiter';
import { type Origin, sendPage } from '../../customer/send-page';
import { type Answer, classifyAnswer, isCutOff, type Verdict } from '../../domain/classify-answer';
import type { EntityType } from '../../domain/entity-types';
import { type PageMeta, renderPage } from '../../domain/render-page';
import { parseRetryAfter } from '../../domain/retry-delay';
import { shownRecord } from '../../domain/shown-record';
import { type Channel, findChannel, openSecrets, pageSizeOf } from '../../store/channels/channels';
import type { PageRecord } from '../../store/records/records';
import { readSetAside } from '../../store/deliveries/set-aside';
import { noteSent } from '../../store/consent/subscriptions';
import { isOutdated, isSelected, type Selection } from '../../store/window/selection';
import type { ShownSelection } from '../selections';
import { handOver } from './hand-over';
import type { Outgoing } from './outgoing';
import type { DeliverySlice, Ended, Unanswered } from './slice';
import type { Cursor } from './cursor';

/** What was confirmed, without the records that a farmer has stopped sharing since they were read. */
export interface Posted {
  sent: PageRecord[];
  bytes: number;
}

/** What a page is posted for: a window, or released records. */
type PageContext = Pick<Cursor, 'fence' | 'account' | 'total' | 'channel'> & {
  number: number;
  readNext?: ReadNext | undefined;
};

/** Done while the customer answers; it never fails. */
type ReadNext = (answered: AbortSignal) => Promise<void>;

/** Posts the records of a page as soon as the host has a free slot. */
export async function postRecords(
  slice: DeliverySlice,
  { progress, ...cursor }: Cursor,
  read: PageRecord[],
  readNext?: ReadNext,
): Promise<Posted | Ended> {
  await findSetAside(slice, read);
  return postInSlot(slice, { ...cursor, number: progress.pages + 1, readNext }, read);
}

export async function postInSlot(
  slice: DeliverySlice,
  page: PageContext,
  read: PageRecord[],
): Promise<Posted | Ended> {
  try {
    return await slice.process.hosts.run(hostOf(page.channel), () => postNow(slice, page, read));
  } catch (error) {
    if (error instanceof HostBusy) return NO_SLOT;
    throw error;
  }
}

const hostOf = ({ _id: slug, delivery, base_url }: Channel) =>
  delivery !== 'pull' && URL.canParse(base_url) ? new URL(base_url).host : slug;

// No slot became free in time: the page is retried later, like one without an answer.
const NO_SLOT: Unanswered = {
  end: 'unconfirmed',
  unconfirmed: {
    failure: 'unavailable',
    reason: `is slow to answer the ${MAX_PAGES_PER_HOST} pages in flight to its host`,
    advice: undefined,
    status: null,
    retry_after_ms: null,
  },
  answer: '',
  request_id: '',
};

/** Reads the channel and what is shared with it again, right before the page is sent. */
async function postNow(slice: DeliverySlice, page: PageContext, read: PageRecord[]): Promise<Posted | Ended> {
  const { process, input, session, tally } = slice;
  const channel = await findChannel(process.store, input.channel, session);
  if (!channel) return { end: 'superseded' };
  if (channel.state === 'paused') return { end: 'paused' };
  if (pageSizeOf(channel, Date.now()) !== input.page_size) return { end: 'resized' };
  const selection = await process.selections(channel, input.entity_type, session);
  const sent = stillShared(page, selection, read);
  if (sent.length === 0) return { sent, bytes: 0 };
  const body = renderPage(
    sent.map((record) => shownTo(selection, input.entity_type, record)),
    metaOf(slice, page, sent.length),
  );
  const started = performance.now();
  const took = () => `${Math.round(performance.now() - started)} ms`;
  const request_id = input.request_id ?? randomUUID();
  const outgoing = { channel, selection, body, origin: originOf(slice, page, request_id) };
  if (channel.delivery === 'pull') {
    const end = await handOver(slice, outgoing);
    if (end !== 'confirmed') return { end };
    tally.last = `collected in ${took()}`;
  } else {
    const answer = await send(slice, outgoing, page.readNext);
    const verdict = classifyAnswer(answer);
    if (verdict) return unanswered(answer, verdict, request_id);
    tally.last = `${answer.status} in ${took()}`;
  }
  await noteSentAccounts(slice, selection, sent);
  return { sent, bytes: body.length };
}

/**
 * Which records of the page are set aside, read before the page is posted. A record that another slice sets aside later,
 * such as after a reset, must not be cleared when this page is confirmed.
 */
async function findSetAside({ process, input, tally }: DeliverySlice, read: PageRecord[]): Promise<void> {
  if (!tally.hasSetAside) return;
  const ids = read.map(({ _id }) => _id);
  for (const [id, at] of await readSetAside(process.store, input, ids)) tally.setAside.set(id, at);
}

function unanswered(answer: Answer, verdict: Verdict, request_id: string): Unanswered {
  const unconfirmed = { ...verdict, status: answer.status, retry_after_ms: retryAfterOf(answer) };
  const excerpt = answer.status === null ? '' : answer.excerpt;
  return { end: 'unconfirmed', unconfirmed, answer: excerpt, request_id, isCutOff: isCutOff(answer) };
}

/**
 * For the farmers' page "who sees my grain data" (docs/contract.md F20): written once per account and slice, and before
 * the marker moves, as the page is not sent again after that. As well as can be: a failure here moves the marker all the same.
 */
async function noteSentAccounts(
  { process, input, tally, delivery }: DeliverySlice,
  { shared }: Selection,
  sent: PageRecord[],
): Promise<void> {
  if (!shared) return;
  const accounts = new Set(sent.flatMap(({ account_ids }) => account_ids));
  const fresh = [...accounts].filter((account) => shared.has(account) && !tally.noted.has(account));
  if (fresh.length === 0) return;
  try {
    await noteSent(process.store, input.channel, fresh, { at: new Date(), delivery });
    for (const account of fresh) tally.noted.add(account);
  } catch {
    // The customer has the page: it is not sent again for this. The next page is noted.
  }
}

const originOf = (
  { input, delivery }: DeliverySlice,
  { fence, account }: PageContext,
  requestId: string,
): Origin => {
  const { generation, epoch } = fence;
  return { requestId, delivery, entityType: input.entity_type, generation, epoch, account };
};

/** @param readNext reads the next page in the same session, which takes one command at a time: `send` waits for it */
async function send(
  slice: DeliverySlice,
  { channel, selection, body, origin }: Outgoing,
  readNext: ReadNext | undefined,
): Promise<Answer> {
  const { process, signal } = slice;
  const answered = new AbortController();
  const reading = readNext?.(answered.signal);
  const mayRepeat = async () => {
    await reading;
    return !isOutdated(selection) && isUnchanged(slice, channel);
  };
  try {
    const secrets = await openSecrets(process.store, channel, new Date());
    return await sendPage(
      { agent: process.agent, signal, mayRepeat },
      { ...channel, ...secrets },
      body,
      origin,
    );
  } finally {
    answered.abort();
    await reading;
  }
}

/** Whether sharing, state and address are still those that the page was made for. */
async function isUnchanged({ process, session }: DeliverySlice, before: Channel): Promise<boolean> {
  const now = await findChannel(process.store, before._id, session);
  return (
    now?.state === before.state &&
    now.shares_version === before.shares_version &&
    now.base_url === before.base_url
  );
}

/** Drops records that a farmer has stopped sharing, or whose grant has ended, since the page was read. */
function stillShared({ account }: PageContext, selection: Selection, page: PageRecord[]): PageRecord[] {
  if (account !== undefined) return selection.shared?.has(account) ? page : [];
  return page.filter((record) => isSelected(selection, record));
}

/** A channel of scope `subscribed` sees only shared accounts, and no field that may name others. */
const shownTo = ({ shared, fields }: ShownSelection, type: EntityType, record: PageRecord) =>
  shared ? shownRecord(type, record, { shared, fields }) : record.wire;

function metaOf({ input }: DeliverySlice, { number, total }: PageContext, records: number): PageMeta {
  return {
    current_page: number,
    page_count: records,
    page_size: input.page_size,
    total_count: total,
    total_pages: Math.ceil(total / input.page_size),
  };
}

function retryAfterOf(answer: Answer): number | null {
  const retryAfter = answer.status === null ? undefined : answer.retryAfter;
  return parseRetryAfter(retryAfter, Date.now()) ?? null;
}
