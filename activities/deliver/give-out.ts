import { msNow, timeNow } from '../../domain/time/elapsed';
import { sendPage, signedPage } from '../../outbound/send-page';
import { type Answer, NOT_SEALED_FOR_IT } from '../../domain/deliveries/classify-answer';
import { spanOfPage, traced } from '../../domain/settings/tracing';
import { type Channel, openSecrets } from '../../store/channels/channels';
import { claimChannel, mayLeave } from '../../store/channels/claim-channel';
import { countPostedPage } from '../../telemetry/counts';
import { SealUnfit } from '../../store/secrets/channel-seal';
import { noteSent } from '../../store/consent/subscriptions';
import { hasSetAside, readSetAside } from '../../store/deliveries/set-aside';
import { markerId } from '../../store/markers/markers';
import { layPage } from '../../store/markers/waiting-pages';
import type { PageRecord } from '../../store/records/records';
import { isOutdated } from '../../store/window/selection';
import { type ClaimedPage, claimPage, type PageContext } from './claim-page';
import { judgeAnswer, NO_SLOT } from './judge-answer';
import type { DeliverySlice, Ended } from './slice';

/** The confirmed records: those of the page that were still shared right before the POST. */
export interface Posted {
  sent: PageRecord[];
  bytes: number;
}

/** Notes which records of a page are set aside, then gives them out. */
export async function giveOutRecords(
  slice: DeliverySlice,
  page: PageContext,
  read: PageRecord[],
): Promise<Posted | Ended> {
  await findSetAside(slice, read);
  return giveOut(slice, page, read);
}

/**
 * Posts a page as soon as its host has a free slot, or lays it out if the customer collects its pages. Then
 * the confirmation comes to the API.
 */
export async function giveOut(
  slice: DeliverySlice,
  page: PageContext,
  read: PageRecord[],
): Promise<Posted | Ended> {
  const release = await slice.process.hosts.take(hostOf(page.channel), page.channel._id);
  if (!release) return NO_SLOT;
  try {
    const claimed = await claimPage(slice, page, read);
    if (!claimed) return { sent: [], bytes: 0 };
    if ('end' in claimed) return claimed;
    const give = claimed.channel.delivery === 'pull' ? layOut : post;
    return await give(slice, page, claimed);
  } catch (error) {
    if (error instanceof SealUnfit) return judgeAnswer(NOT_SEALED_FOR_IT, '')!;
    throw error;
  } finally {
    release();
  }
}

const hostOf = ({ _id: slug, delivery, base_url }: Channel) =>
  delivery !== 'pull' && URL.canParse(base_url) ? new URL(base_url).host : slug;

/**
 * Reads which records of the page are set aside, before the page is given out. A record that another slice
 * sets aside later, such as after a reset, must not be cleared when this page is confirmed.
 */
async function findSetAside({ process, input, tally }: DeliverySlice, read: PageRecord[]): Promise<void> {
  if (!(await hasSetAside(process.store, input))) return;
  const ids = read.map(({ _id }) => _id);
  for (const known of await readSetAside(process.store, input, ids)) tally.setAside.set(known.record, known);
}

// After this long a page is signed again, as receivers refuse signatures older than 5 minutes.
const GIVEN_OUT_MS = 60_000;

/** Lays the page out with all that its confirmation changes (docs/architecture.md#pull). */
async function layOut(
  { process, input, delivery, tally }: DeliverySlice,
  { moveOf }: PageContext,
  claimed: ClaimedPage,
): Promise<Ended> {
  const { channel, selection, sent, accounts, body, origin } = claimed;
  const move = moveOf?.(sent, body.length);
  // The channel still posted its pages when the slice began.
  if (!move?.fence || tally.asked === undefined) return { end: 'more' };
  const now = msNow();
  const { signingSecrets, signingKeys } = await openSecrets(process.store, channel, new Date(now));
  const { shares_version: shares } = channel;
  const signers = { _id: channel._id, signingSecrets, signingKeys };
  const signed = await signedPage(signers, body, origin);
  const { pages, records, bytes } = tally.totals;
  await layPage(process.store, markerId(input.channel, input.entity_type), {
    page: signed.id,
    until: new Date(Math.min(now + GIVEN_OUT_MS, selection.until?.getTime() ?? Infinity)),
    asks: tally.asked,
    shares_version: shares,
    fence: move.fence,
    headers: signed.headers,
    body: signed.body,
    confirmation: {
      move,
      done: { delivery, pages: pages + 1, records: records + sent.length, bytes: bytes + body.length },
      accounts,
    },
  });
  return { end: 'uncollected' };
}

async function post(slice: DeliverySlice, page: PageContext, claimed: ClaimedPage): Promise<Posted | Ended> {
  const started = performance.now();
  const { tracing } = slice.process.store;
  const { sent, origin } = claimed;
  const options = () => spanOfPage(slice.input.channel, origin, sent);
  const { answer, failed } = await traced(tracing, 'POST /feed', options, async (span) => {
    const answer = await send(slice, claimed, page.readNext, span?.traceparent);
    const failed = judgeAnswer(answer, origin.requestId);
    if (answer.status !== null) span?.set({ 'http.response.status_code': answer.status });
    if (failed) span?.fail();
    return { answer, failed };
  });
  const milliseconds = performance.now() - started;
  countPostedPage(failed?.unconfirmed.failure, milliseconds / 1_000);
  if (failed) return { ...failed, posted: sent };
  if (sent.length >= (slice.tally.tooLong ?? Infinity)) delete slice.tally.tooLong;
  slice.tally.last = `${answer.status} in ${Math.round(milliseconds)} ms`;
  await noteAccounts(slice, claimed.accounts);
  return { sent, bytes: claimed.body.length };
}

/**
 * @param readNext reads the next page. `send` waits for it, as the session that they share takes one command
 * at a time
 */
async function send(
  slice: DeliverySlice,
  { channel, selection, body, origin }: ClaimedPage,
  readNext: PageContext['readNext'],
  traceparent: string | undefined,
): Promise<Answer> {
  const { process, signal } = slice;
  const answered = new AbortController();
  const reading = readNext?.(answered.signal);
  const mayRepeat = async () => {
    await reading;
    return !isOutdated(selection) && isUnchanged(slice, channel);
  };
  try {
    const secrets = await openSecrets(process.store, channel, timeNow());
    return await sendPage(
      { agent: process.agent, signal, mayRepeat, traceparent },
      { ...channel, ...secrets },
      body,
      origin,
    );
  } finally {
    answered.abort();
    await reading;
  }
}

/** Whether the channel is still the one that the page was made for. */
async function isUnchanged({ process, input, session }: DeliverySlice, made: Channel): Promise<boolean> {
  return mayLeave(await claimChannel(process.store, input.channel, session), input.entity_type, made);
}

/** Notes the accounts as sent, once per account and slice. A failure is ignored: the customer has the page. */
async function noteAccounts(
  { process, input, tally, delivery }: DeliverySlice,
  accounts: string[],
): Promise<void> {
  const fresh = accounts.filter((account) => !tally.noted.has(account));
  try {
    await noteSent(process.store, input.channel, fresh, { at: timeNow(), delivery });
    for (const account of fresh) tally.noted.add(account);
  } catch {
    // tried again with the next page of these accounts
  }
}
