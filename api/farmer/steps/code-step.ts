import { legible } from '../../../domain/text/pasted-text';
import { LONGEST_CODE, readCode } from '../../../domain/text/read-code';
import {
  type CodeWay,
  findSignInCode,
  isReplaced,
  shownCode,
  takeTry,
  useTry,
} from '../../../store/codes/sign-in-codes';
import { type FarmerSession, phoneOf, visitOf } from '../../../store/sessions/farmer-sessions';
import { afterFirstTap } from '../../../store/sessions/after-first-tap';
import { tokenOfSecondTap, verifySession } from '../../../store/sessions/session-ends';
import type { Store } from '../../../store/store';
import type { CodeSettings } from '../../../domain/settings/settings-rules';
import { type Asking, countGuess, uncountRight } from '../../limits/code-limits';
import { answerPage, goTo } from '../../pages/answer-page';
import { askingOf } from '../asking-of';
import { rememberBrowser } from '../device-cookie';
import { farmerPageContext } from '../farmer-page-context';
import { FarmerPageError } from '../farmer-page-error';
import type { FarmerDeps, SessionContext } from '../farmer-state';
import { codePage } from '../pages/code-page';
import { signInPathsAt } from '../paths';
import { problemIn, sayProblem } from '../say-problem';
import { endingOf } from '../phone-number';
import { noteCode } from '../note-activity';
import { refuseWherePaused } from '../refuse-where-paused';
import type { Texts } from '../texts/en';
import { sendCode } from '../send-code';
import { readSessionCookie, setSessionCookie } from '../session-cookie';

export const WRONG_CODES = ['wrong', 'malformed', 'over', 'replaced', 'tooSoon'] as const;
export type WrongCode = (typeof WRONG_CODES)[number];

export async function showCode(ctx: SessionContext, deps: FarmerDeps): Promise<void> {
  if (ctx.state.session.verified) return goTo(ctx, signInPathsAt(ctx.path).next);
  await show(ctx, deps, problemIn(ctx, WRONG_CODES));
}

export async function submitCode(ctx: SessionContext, deps: FarmerDeps): Promise<void> {
  const { session, form, switched } = ctx.state;
  // A double tap or the back button: the phone is verified already.
  if (session.verified) return goTo(ctx, signInPathsAt(ctx.path).next);
  const typed = typedCode(form);
  const { code: page } = signInPathsAt(ctx.path);
  if (switched) return goTo(ctx, page);
  if (form.get('do') === 'resend') return askAgain(ctx, deps, 'text');
  if (form.get('do') === 'call') return askAgain(ctx, deps, 'call');
  const code = readCode(typed);
  if (!(await isCode(ctx, deps, code))) return sayProblem(ctx, deps, page, 'malformed');
  const outcome = await guess(ctx, deps, code, page);
  const beside = readSessionCookie(ctx, deps.farmer, session.link ? 'sharing' : 'link');
  const token =
    outcome === 'right'
      ? await verifySession(deps.store, session, code, beside)
      : outcome === 'over' && (await tokenOfFirstTap(ctx, deps, code));
  if (!token) return sayProblem(ctx, deps, page, outcome);
  setSessionCookie(ctx, deps.farmer, visitOf(session), token);
  rememberBrowser(ctx, deps, phoneOf(deps.store, session));
  goTo(ctx, signInPathsAt(ctx.path).next);
}

/** Of two taps with the right code the first one uses it, and the browser shows the answer to the second alone. */
async function tokenOfFirstTap(
  ctx: SessionContext,
  { store, farmer }: FarmerDeps,
  code: string,
): Promise<string | undefined> {
  const { session } = ctx.state;
  const visit = visitOf(session);
  const old = readSessionCookie(ctx, farmer, visit) ?? '';
  return afterTapThatUsed(store, session, () => tokenOfSecondTap(store, old, visit, code));
}

/** What the tap that has used the session's code leaves behind, if there was one. */
export async function afterTapThatUsed<T>(
  store: Store,
  session: FarmerSession,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const isUnused = await findSignInCode(store, session, phoneOf(store, session));
  return isUnused ? undefined : afterFirstTap(look);
}

/** Whether this can be a code that was sent: as long as the last one, or one before it. */
export async function isCode(ctx: SessionContext, { store }: FarmerDeps, code: string): Promise<boolean> {
  const { session } = ctx.state;
  if (!/^(?:\d{6}|\d{8})$/.test(code)) return false;
  const phone = phoneOf(store, session);
  const sent = await findSignInCode(store, session, phone);
  return !sent || sent.digits === code.length || isReplaced(store, session, phone, code);
}

export const typedCode = (form: URLSearchParams) => legible(form.get('code') ?? '').slice(0, LONGEST_CODE);

/**
 * Compares an entered code, and counts the outcome.
 * @throws FarmerPageError with the way `back` when too many codes were entered for this phone
 */
export async function guess(
  ctx: SessionContext,
  deps: FarmerDeps,
  code: string,
  back: string,
): Promise<'right' | 'wrong' | 'over' | 'replaced'> {
  const { session, channel, logged } = ctx.state;
  const asking = askingOf(ctx, deps);
  await refuseWherePaused(deps, asking, back);
  const guessed = await guessCode(deps.store, session, code, { asking, codes: deps.farmer.codes });
  const outcome = typeof guessed === 'string' ? guessed : 'barred';
  logged['code'] = outcome;
  noteCode(deps, channel, outcome);
  if (guessed === 'guarded') return 'over';
  if (typeof guessed === 'string') return guessed;
  throw new FarmerPageError('guessed', { ...guessed, back });
}

async function askAgain(ctx: SessionContext, deps: FarmerDeps, via: CodeWay): Promise<void> {
  const asked = await sendCode(deps, ctx.state, { via, asking: askingOf(ctx, deps) });
  const { phone, code } = signInPathsAt(ctx.path);
  if (asked === 'tooSoon') return sayProblem(ctx, deps, code, 'tooSoon');
  goTo(ctx, asked === 'impossible' ? phone : code);
}

async function show(ctx: SessionContext, deps: FarmerDeps, wrong?: WrongCode): Promise<void> {
  const { session, channel } = ctx.state;
  const code = await findSignInCode(deps.store, session, phoneOf(deps.store, session));
  const { phone } = signInPathsAt(ctx.path);
  if (code?.state === 'failed') throw new FarmerPageError('notSent', { back: phone });
  if (!code && !wrong) return goTo(ctx, phone);
  const context = farmerPageContext(ctx, deps);
  const back = session.link?.signed ? undefined : ([phone, context.texts.code.otherPhone] as const);
  answerCodePage(ctx, deps, code, { context, customer: channel?.name, back, wrong });
}

const messageOf = ({ code: t }: Texts, wrong: WrongCode, digits: number) =>
  wrong === 'malformed' ? t.malformed(digits) : t[wrong];

/** The page of a code. Without a code it says that none works any more, or that it was not one. */
export function answerCodePage(
  ctx: SessionContext,
  { store, sender }: FarmerDeps,
  code: Awaited<ReturnType<typeof findSignInCode>>,
  {
    wrong,
    ...page
  }: Pick<Parameters<typeof codePage>[0], 'context' | 'customer' | 'back'> & {
    wrong?: WrongCode | undefined;
  },
): void {
  const shown = codePage({
    ...page,
    phoneEnding: endingOf(phoneOf(store, ctx.state.session)),
    via: code?.via ?? 'text',
    digits: code?.digits ?? 6,
    calls: sender.call !== undefined,
    shownCode: code ? shownCode(store, code) : undefined,
    error: wrong && { field: 'code', message: messageOf(page.context.texts, wrong, code?.digits ?? 6) },
  });
  answerPage(ctx, shown, wrong ? 422 : 200);
}

/**
 * Compares an entered code. Before that it counts the attempt for the code and then for its phone, so a database that
 * fails in between fails the request. Attempts with a replaced code are not counted.
 * @returns the milliseconds to wait when too many codes were entered for this phone
 */
export async function guessCode(
  store: Store,
  session: FarmerSession,
  code: string,
  { asking, codes }: { asking: Asking; codes: CodeSettings },
): Promise<'right' | 'wrong' | 'over' | 'replaced' | 'guarded' | { waitMs: number }> {
  const phone = phoneOf(store, session);
  if (await isReplaced(store, session, phone, code)) return 'replaced';
  const tried = await takeTry(store, session, phone);
  if (!tried) return 'over';
  const { digits = 6, known = false } = tried; // of before there were longer ones
  const counted = await countGuess(store, asking, digits);
  if (counted !== 'counted') return counted === 'short' ? 'guarded' : counted;
  const outcome = await useTry(store, tried, code);
  if (outcome === 'right') await uncountRight(store, asking, { codes, digits, known });
  return outcome;
}
