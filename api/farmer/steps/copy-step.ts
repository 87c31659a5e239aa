import { isYounger, timeIn, timeNow } from '../../../domain/time/elapsed';
import { formatInstant } from '../../../domain/time/instants';
import { readCode } from '../../../domain/text/read-code';
import { HOUR_MS, MINUTE_MS } from '../../../domain/time/spans';
import { type CodeWay, findSignInCode } from '../../../store/codes/sign-in-codes';
import { countAttempt, msUntilAttempt } from '../../../store/codes/attempt-counts';
import { type SentBatch, sentRecords } from '../../../store/digest/sent-records';
import { changeSession, type FarmerSession, phoneOf } from '../../../store/sessions/farmer-sessions';
import { readShownFields } from '../../../store/sharing/passed-fields';
import { streamAnswer } from '../../http/stream-answer';
import { createWalks } from '../../limits/walks';
import { answerPage, goTo } from '../../pages/answer-page';
import { askingOf } from '../asking-of';
import { farmerPageContext } from '../farmer-page-context';
import type { FarmerDeps, SessionContext } from '../farmer-state';
import { copyPage } from '../pages/copy-page';
import { SHARING } from '../paths';
import { problemIn, sayProblem } from '../say-problem';
import { sendCode } from '../send-code';
import { sessionOf } from '../session-cookie';
import type { Texts } from '../texts/en';
import { type Recipient, sharedBy, whoSees } from '../who-sees';
import {
  afterTapThatUsed,
  answerCodePage,
  guess,
  isCode,
  typedCode,
  WRONG_CODES,
  type WrongCode,
} from './code-step';

// The longest time from the code to the file.
const PROVEN_MS = 10 * MINUTE_MS;
const beginWalk = createWalks(4);

/** `GET /sharing/copy`: the page for a copy of all records sent to one customer. It needs a code of its own. */
export const showCopy = (ctx: SessionContext, deps: FarmerDeps) =>
  show(ctx, deps, { wrong: problemIn(ctx, WRONG_CODES) });

export async function submitCopy(ctx: SessionContext, deps: FarmerDeps): Promise<void> {
  const { session, form, switched } = ctx.state;
  const { store } = deps;
  if (!session.verified || !session.copy) return goTo(ctx, SHARING.customers);
  const pressed = form.get('do');
  const typed = typedCode(form);
  if (switched) return goTo(ctx, SHARING.copy);
  if (pressed === 'resend' || pressed === 'call')
    return send(ctx, deps, pressed === 'call' ? 'call' : 'text');
  const code = readCode(typed);
  if (!(await isCode(ctx, deps, code))) return sayProblem(ctx, deps, SHARING.copy, 'malformed');
  const outcome = await guess(ctx, deps, code, SHARING.copy);
  if (outcome === 'over' && (await isProvenByFirstTap(ctx, deps))) return goTo(ctx, SHARING.copy);
  if (outcome !== 'right') return sayProblem(ctx, deps, SHARING.copy, outcome);
  await changeSession(store, session, { copy: { ...session.copy, proven_at: timeNow() } });
  goTo(ctx, SHARING.copy);
}

/** `GET /sharing/copy/file`: streams the copy, once an hour for each customer. */
export async function downloadCopy(ctx: SessionContext, deps: FarmerDeps): Promise<void> {
  const { store } = deps;
  if (!isProven(ctx.state.session)) return goTo(ctx, SHARING.copy);
  const recipient = await recipientOf(ctx, deps);
  if (!recipient) return goTo(ctx, SHARING.customers);
  const { channel } = recipient;
  const own = sharedBy(recipient);
  const { texts } = farmerPageContext(ctx, deps);
  const t = texts.sharing;
  const signal = beginWalk(ctx, farmerOfCopy(recipient));
  const fields = await readShownFields(store, channel.companies);
  const sent = sentRecords(store, channel, { accounts: own.map(({ id }) => id), fields, signal });
  const first = await sent.next();
  if (first.done) return show(ctx, deps, { problem: t.copy.empty });
  const waitMs = await countAttempt(store, copiesOf(recipient), { limit: 1, windowMs: HOUR_MS });
  if (waitMs > 0) return show(ctx, deps, { problem: tooSoon(texts, recipient, waitMs) });
  ctx.set('Content-Disposition', `attachment; filename="${channel._id}.json"`);
  // The browser saves this type and does not show it.
  streamAnswer(ctx, 'application/octet-stream', documentOf(channel.name, first.value, sent));
}

const farmerOfCopy = (recipient: Recipient) => sharedBy(recipient)[0]?.own[0]?.farmer ?? '';

const copiesOf = (recipient: Recipient) => `copy/${farmerOfCopy(recipient)}/${recipient.channel._id}`;

/** Without the company's time zone a day would stand for the hour. */
function tooSoon({ sharing: t, pageError }: Texts, recipient: Recipient, waitMs: number): string {
  const zone = sharedBy(recipient)[0]?.zone;
  return zone ? t.copy.tooSoon(t.at(timeIn(waitMs), zone)) : pageError.wait(Math.ceil(waitMs / 60_000));
}

/** Writes `{ "customer", "made_at", "accounts": [...], ... }`, with each record as in a page. */
async function* documentOf(
  customer: string,
  first: SentBatch,
  rest: AsyncIterable<SentBatch>,
): AsyncGenerator<string> {
  yield JSON.stringify({ customer, made_at: formatInstant(timeNow()) }).slice(0, -1);
  let type = '';
  const say = (batch: SentBatch) => {
    const before = batch.type === type ? ',' : `${type && ']'},"${batch.type}":[`;
    type = batch.type;
    return before + batch.records.join(',');
  };
  yield say(first);
  for await (const batch of rest) yield say(batch);
  yield ']}\n';
}

const isProvenByFirstTap = (ctx: SessionContext, deps: FarmerDeps) =>
  afterTapThatUsed(deps.store, ctx.state.session, async () => {
    const session = await sessionOf(ctx, deps, 'sharing');
    return (session && isProven(session)) || undefined;
  });

function isProven(session: FarmerSession): boolean {
  const at = session.verified ? session.copy?.proven_at : undefined;
  return !!at && isYounger(at, PROVEN_MS);
}

/** The customer of the copy; undefined unless the farmer shares something with it. */
async function recipientOf(
  { state: { session } }: SessionContext,
  { store }: FarmerDeps,
): Promise<Recipient | undefined> {
  const { recipients } = await whoSees(store, phoneOf(store, session));
  return recipients.find(
    ({ channel, accounts }) =>
      channel._id === session.copy?.channel && accounts.some(({ own }) => own.length > 0),
  );
}

async function send(ctx: SessionContext, deps: FarmerDeps, via: CodeWay): Promise<void> {
  const recipient = await recipientOf(ctx, deps);
  // The page says that it is too soon.
  if (!recipient || (await msUntilAttempt(deps.store, copiesOf(recipient), 1)) > 0)
    return goTo(ctx, SHARING.copy);
  const asked = await sendCode(deps, ctx.state, { via, asking: askingOf(ctx, deps) });
  if (asked === 'tooSoon') return sayProblem(ctx, deps, SHARING.copy, 'tooSoon');
  goTo(ctx, SHARING.copy);
}

async function show(
  ctx: SessionContext,
  deps: FarmerDeps,
  { wrong, problem }: { wrong?: WrongCode | undefined; problem?: string } = {},
): Promise<void> {
  const { session } = ctx.state;
  const { store, sender } = deps;
  const recipient = session.verified && session.copy && (await recipientOf(ctx, deps));
  if (!recipient) return goTo(ctx, SHARING.customers);
  const context = { ...farmerPageContext(ctx, deps), action: SHARING.copy };
  const proven = isProven(session);
  const code = proven ? null : await findSignInCode(store, session, phoneOf(store, session));
  const failed = code?.state === 'failed';
  const waitMs = proven ? 0 : await msUntilAttempt(store, copiesOf(recipient), 1);
  const shut = waitMs > 0 ? tooSoon(context.texts, recipient, waitMs) : undefined;
  if (proven || failed || shut || (!code && !wrong))
    return answerPage(
      ctx,
      copyPage({
        context,
        customer: recipient.channel.name,
        proven,
        calls: sender.call !== undefined,
        shut: shut !== undefined,
        problem: shut ?? (failed ? context.texts.pageError.notSent.text : problem),
      }),
    );
  const back = [SHARING.customers, context.texts.goBack] as const;
  answerCodePage(ctx, deps, code, { context, customer: undefined, back, wrong });
}
