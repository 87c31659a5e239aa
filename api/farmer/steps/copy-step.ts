import { isYounger, timeIn, timeNow } from '../../../domain/time/elapsed';
import { readCode } from '../../../domain/text/read-code';
import { HOUR_MS, MINUTE_MS } from '../../../domain/time/spans';
import { type CodeWay, findSignInCode } from '../../../store/codes/sign-in-codes';
import { countAttempt, msUntilAttempt } from '../../../store/codes/attempt-counts';
import { sentRecords } from '../../../store/digest/sent-records';
import { changeSession, type FarmerSession, phoneOf } from '../../../store/sessions/farmer-sessions';
import { readShownFields } from '../../../store/sharing/passed-fields';
import { streamAnswer } from '../../http/stream-answer';
import { createWalks } from '../../limits/walks';
import { answerPage, goTo } from '../../pages/answer-page';
import { askingOf } from '../asking-of';
import { farmerPageContext } from '../farmer-page-context';
import type { FarmerDeps, SessionContext } from '../farmer-state';
import { copyFile } from '../copy-file';
import { copyTable } from '../copy-table';
import type { Copy } from '../copy-words';
import { copyPage } from '../pages/copy-page';
import { copyToRead } from '../pages/copy-to-read';
import { productionCsv, productionToRead, readHarvests } from '../pages/production-to-read';
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

// The longest time from the code to the copy.
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

/** `GET /sharing/copy/page`, `/table`, `/file`, `/production` and `/loads`: streams the copy, each once an hour for each customer. */
export const sendCopy = (form: CopyForm) => async (ctx: SessionContext, deps: FarmerDeps) => {
  const { store } = deps;
  if (!isProven(ctx.state.session)) return goTo(ctx, SHARING.copy);
  const recipient = await recipientOf(ctx, deps);
  if (!recipient) return goTo(ctx, SHARING.customers);
  const { channel } = recipient;
  const own = sharedBy(recipient);
  const { texts, language, service } = farmerPageContext(ctx, deps);
  const signal = beginWalk(ctx, farmerOfCopy(recipient));
  const fields = await readShownFields(store, channel.companies);
  const sent: AsyncGenerator<unknown> = isOfProduction(form)
    ? readHarvests(store, channel, { accounts: own, signal })
    : sentRecords(store, channel, { accounts: own.map(({ id }) => id), fields, signal });
  const first = await sent.next();
  if (first.done) return show(ctx, deps, { problem: texts.sharing.copy.empty });
  const waitMs = await countAttempt(store, copiesOf(recipient, form), { limit: 1, windowMs: HOUR_MS });
  if (waitMs > 0) return show(ctx, deps, { problem: tooSoon(texts, recipient, waitMs) });
  const copy = {
    ...{ customer: channel.name, madeAt: timeNow(), zone: own[0]?.zone, batches: after(first.value, sent) },
    ...{ texts, language, service },
  };
  const name = `${isOfProduction(form) ? 'production' : 'grain-records'}-${fileNameOf(channel)}`;
  if (form in ENDINGS)
    ctx.set('Content-Disposition', `attachment; filename="${name}.${ENDINGS[form as keyof typeof ENDINGS]}"`);
  streamAnswer(ctx, TYPES[form], (WRITERS[form] as (copy: Copy<unknown>) => AsyncGenerator<string>)(copy));
};

type CopyForm = keyof typeof WRITERS;

/** The production record is made of what its customer may see now, as the customer gets it. */
const isOfProduction = (form: CopyForm) => form === 'production' || form === 'loads';

const ENDINGS = { table: 'csv', loads: 'csv', file: 'json' };
// The browser saves a file of the last type and does not show it.
const CSV = 'text/csv; charset=utf-8';
const TYPES = { page: 'html', table: CSV, file: 'application/octet-stream', production: 'html', loads: CSV };
const WRITERS = {
  ...{ page: copyToRead, table: copyTable, file: copyFile },
  ...{ production: productionToRead, loads: productionCsv },
};

/** `acme-crop-insurance`: plain letters, as every device keeps them. */
function fileNameOf({ _id, name }: Recipient['channel']): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-');
  return `${plain.slice(0, 60).replace(/^-|-$/g, '') || _id}`;
}

async function* after<Part>(first: Part, rest: AsyncIterable<Part>): AsyncGenerator<Part> {
  yield first;
  yield* rest;
}

const farmerOfCopy = (recipient: Recipient) => sharedBy(recipient)[0]?.own[0]?.farmer ?? '';

const copiesOf = (recipient: Recipient, form: CopyForm) =>
  `copy/${form}/${farmerOfCopy(recipient)}/${recipient.channel._id}`;

/** The milliseconds until a code leads to a copy: an hour after the last one, in whatever form. */
async function msUntilCopy({ store }: FarmerDeps, recipient: Recipient): Promise<number> {
  const forms = Object.keys(WRITERS) as CopyForm[];
  const waits = forms.map((form) => msUntilAttempt(store, copiesOf(recipient, form), 1));
  return Math.max(...(await Promise.all(waits)));
}

/** Without the company's time zone a day would stand for the hour. */
function tooSoon({ sharing: t, pageError }: Texts, recipient: Recipient, waitMs: number): string {
  const zone = sharedBy(recipient)[0]?.zone;
  return zone ? t.copy.tooSoon(t.at(timeIn(waitMs), zone)) : pageError.wait(Math.ceil(waitMs / 60_000));
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
  if (!recipient || (await msUntilCopy(deps, recipient)) > 0) return goTo(ctx, SHARING.copy);
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
  const waitMs = proven ? 0 : await msUntilCopy(deps, recipient);
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
