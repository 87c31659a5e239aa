import { parsePhone } from '../../../domain/text/parse-phone';
import { legible } from '../../../domain/text/pasted-text';
import {
  changePhone,
  changeSession,
  keepTyped,
  phoneOf,
  typedPhone,
} from '../../../store/sessions/farmer-sessions';
import { answerPage, goTo } from '../../pages/answer-page';
import { askingOf } from '../asking-of';
import { farmerPageContext } from '../farmer-page-context';
import { phonePage } from '../pages/phone-page';
import { signInPathsAt } from '../paths';
import { endingOf, formatPhone } from '../phone-number';
import { problemIn, sayProblem } from '../say-problem';
import { sendCode } from '../send-code';
import type { FarmerDeps, SessionContext } from '../farmer-state';

const WRONG = ['wrong', 'impossible', 'signed'] as const;
type Wrong = (typeof WRONG)[number];

const LONGEST_INPUT = 40;

export function showPhone(ctx: SessionContext, deps: FarmerDeps): void {
  const { session } = ctx.state;
  const phone = typedPhone(deps.store, session) ?? formatPhone(phoneOf(deps.store, session));
  show(ctx, deps, phone, problemIn(ctx, WRONG));
}

export async function submitPhone(ctx: SessionContext, deps: FarmerDeps): Promise<void> {
  const { session, form, switched } = ctx.state;
  const typed = legible(form.get('phone') ?? '').slice(0, LONGEST_INPUT);
  if (switched) return again(ctx, deps, typed);
  const phone = parsePhone(typed);
  if (!phone) return again(ctx, deps, typed, 'wrong');
  const same = phone === phoneOf(deps.store, session);
  if (same && session.verified) return goTo(ctx, signInPathsAt(ctx.path).next);
  if (!same && session.link?.signed) return again(ctx, deps, typed, 'signed');
  if (!same) ctx.state.session = await changePhone(deps.store, session, phone);
  else if (session.typed) ctx.state.session = await changeSession(deps.store, session, { typed: null });
  const via = form.get('do') === 'call' ? 'call' : 'text';
  const asked = await sendCode(deps, ctx.state, { via, asking: askingOf(ctx, deps) });
  if (asked === 'impossible') return again(ctx, deps, typed, 'impossible');
  goTo(ctx, signInPathsAt(ctx.path).code);
}

/** Back to the page of the form by GET, with what was typed. */
async function again(ctx: SessionContext, deps: FarmerDeps, typed: string, wrong?: Wrong): Promise<void> {
  ctx.state.session = await keepTyped(deps.store, ctx.state.session, typed);
  const { phone } = signInPathsAt(ctx.path);
  if (wrong) sayProblem(ctx, deps, phone, wrong);
  else goTo(ctx, phone);
}

function show(ctx: SessionContext, deps: FarmerDeps, phone: string, wrong?: Wrong): void {
  const { session, channel } = ctx.state;
  const context = farmerPageContext(ctx, deps);
  const t = context.texts.phone;
  const signed = session.link?.signed
    ? t.signed(endingOf(phoneOf(deps.store, session)), channel!.name)
    : undefined;
  const page = phonePage({
    context,
    customer: channel && {
      name: channel.name,
      displayName: session.link?.display_name ?? channel.name,
      contact: channel.contact,
    },
    phone,
    calls: deps.sender.call !== undefined,
    signed,
    error: wrong && { field: 'phone', message: wrong === 'signed' ? signed! : t[wrong] },
  });
  answerPage(ctx, page, wrong ? 422 : 200);
}
