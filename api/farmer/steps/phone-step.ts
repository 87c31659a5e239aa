import { changePhone, phoneOf } from '../../../store/farmer-sessions';
import type { Deps, FarmerContext } from '../../route';
import { answerPage, goTo } from '../../pages/answer-page';
import { frameOf } from '../frame';
import { phonePage } from '../pages/phone-page';
import { PATHS } from '../paths';
import { formatPhone, parsePhone } from '../phone-number';
import { sendCode } from '../send-code';

const LONGEST_INPUT = 40;

export function showPhone(ctx: FarmerContext, deps: Deps): void {
  show(ctx, deps, formatPhone(phoneOf(deps.store, ctx.state.session)));
}

export async function submitPhone(ctx: FarmerContext, deps: Deps): Promise<void> {
  const { session, form, switched } = ctx.state;
  const typed = (form.get('phone') ?? '').slice(0, LONGEST_INPUT);
  if (switched) return show(ctx, deps, typed);
  const phone = parsePhone(typed);
  if (!phone) return show(ctx, deps, typed, true);
  const same = phone === phoneOf(deps.store, session);
  if (same && session.verified) return goTo(ctx, PATHS.accounts);
  if (!same) ctx.state.session = await changePhone(deps.store, session, phone);
  await sendCode(deps, ctx.state.session, ctx.ip);
  goTo(ctx, PATHS.code);
}

function show(ctx: FarmerContext, deps: Deps, phone: string, wrong = false): void {
  const { session, channel } = ctx.state;
  const frame = frameOf(ctx, deps);
  const page = phonePage({
    frame,
    customer: channel.name,
    displayName: session.link.display_name,
    contact: channel.contact,
    phone,
    error: wrong ? { field: 'phone', message: frame.texts.phone.wrong } : undefined,
  });
  answerPage(ctx, page, wrong ? 422 : 200);
}
