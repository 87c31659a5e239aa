import { countSignInCode } from '../../../metrics/count-sign-in-code';
import { changeSession, phoneOf } from '../../../store/farmer-sessions';
import { findSignInCode, shownCode, tryCode } from '../../../store/sign-in-codes';
import type { Deps, FarmerContext } from '../../route';
import { answerPage, goTo } from '../../pages/answer-page';
import { frameOf } from '../frame';
import { codePage } from '../pages/code-page';
import { PATHS } from '../paths';
import { endingOf } from '../phone-number';
import { sendCode } from '../send-code';
import { Trouble } from '../trouble';

type Wrong = 'wrong' | 'malformed' | 'over' | 'tooSoon';

const LONGEST_INPUT = 12;

export async function showCode(ctx: FarmerContext, deps: Deps): Promise<void> {
  if (ctx.state.session.verified) return goTo(ctx, PATHS.accounts);
  await show(ctx, deps, '');
}

export async function submitCode(ctx: FarmerContext, deps: Deps): Promise<void> {
  const { session, form, switched } = ctx.state;
  // The second of two taps, or a page gone back to: the phone is proven.
  if (session.verified) return goTo(ctx, PATHS.accounts);
  const typed = (form.get('code') ?? '').slice(0, LONGEST_INPUT);
  if (switched) return show(ctx, deps, typed);
  if (form.get('do') === 'resend') return resend(ctx, deps);
  const code = typed.replace(/[\s-]/g, '');
  if (!/^\d{6}$/.test(code)) return show(ctx, deps, typed, 'malformed');
  const outcome = await tryCode(deps.store, session, phoneOf(deps.store, session), code);
  ctx.state.logged['code'] = outcome;
  countSignInCode(outcome);
  if (outcome !== 'right') return show(ctx, deps, typed, outcome);
  await changeSession(deps.store, session, { verified: true });
  goTo(ctx, PATHS.accounts);
}

async function resend(ctx: FarmerContext, deps: Deps): Promise<void> {
  if (!(await sendCode(deps, ctx.state.session, ctx.ip))) return show(ctx, deps, '', 'tooSoon');
  goTo(ctx, PATHS.code);
}

async function show(ctx: FarmerContext, deps: Deps, typed: string, wrong?: Wrong): Promise<void> {
  const { session, channel } = ctx.state;
  const code = await findSignInCode(deps.store, session);
  if (code?.text === 'failed') throw new Trouble('notSent', { back: PATHS.phone });
  if (!code && !wrong) return goTo(ctx, PATHS.phone);
  const frame = frameOf(ctx, deps);
  const page = codePage({
    frame,
    customer: channel.name,
    phoneEnding: endingOf(phoneOf(deps.store, session)),
    shownCode: code ? shownCode(deps.store, code) : undefined,
    typed,
    error: wrong && { field: 'code', message: frame.texts.code[wrong] },
  });
  answerPage(ctx, page, wrong ? 422 : 200);
}
