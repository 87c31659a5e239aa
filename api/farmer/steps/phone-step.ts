import { parsePhone } from '../../../domain/parse-phone';
import { legible } from '../../../domain/pasted-text';
import { changePhone, phoneOf } from '../../../store/sessions/farmer-sessions';
import { answerPage, goTo } from '../../pages/answer-page';
import { askingOf } from '../asking-of';
import { farmerPageContext } from '../farmer-page-context';
import { phonePage } from '../pages/phone-page';
import { signInPathsAt } from '../paths';
import { endingOf, formatPhone } from '../phone-number';
import { sendCode } from '../send-code';
import type { FarmerDeps, SessionContext } from '../farmer-state';

type Wrong = 'wrong' | 'impossible' | 'signed';

const LONGEST_INPUT = 40;

export function showPhone(ctx: SessionContext, deps: FarmerDeps): void {
  show(ctx, deps, formatPhone(phoneOf(deps.store, ctx.state.session)));
}

export async function submitPhone(ctx: SessionContext, deps: FarmerDeps): Promise<void> {
  const { session, form, switched } = ctx.state;
  const typed = legible(form.get('phone') ?? '').slice(0, LONGEST_INPUT);
  if (switched) return show(ctx, deps, typed);
  const phone = parsePhone(typed);
  if (!phone) return show(ctx, deps, typed, 'wrong');
  const same = phone === phoneOf(deps.store, session);
  if (same && session.verified) return goTo(ctx, signInPathsAt(ctx.path).next);
  if (!same && session.link?.signed) return show(ctx, deps, typed, 'signed');
  if (!same) ctx.state.session = await changePhone(deps.store, session, phone);
  const via = form.get('do') === 'call' ? 'call' : 'text';
  const asked = await sendCode(deps, ctx.state, { via, asking: askingOf(ctx, deps) });
  if (asked === 'impossible') return show(ctx, deps, typed, 'impossible');
  goTo(ctx, signInPathsAt(ctx.path).code);
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
