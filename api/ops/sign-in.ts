import type { ParameterizedContext } from 'koa';
import { countAttempt, uncountAttempt, type AttemptLimit } from '../../store/access/attempt-counts';
import { openOperatorSession } from '../../store/access/operator-sessions';
import { findOperatorByToken } from '../../store/access/operators';
import { answerPage, goTo } from '../pages/answer-page';
import { maskToken } from '../pages/csrf';
import { addressKey } from '../rate-limit';
import type { Deps, RequestState, SignInContext } from '../route';
import { setCookie } from './cookies';
import { formTokenOf } from './form-token';
import { OpsPageError } from './ops-page-error';
import { signInPage } from './pages/sign-in-page';
import { OPS, wayOn } from './paths';

// Per address; valid tokens are not counted.
const GUESSES: AttemptLimit = { limit: 10, windowMs: 10 * 60_000 };

export function showSignIn(ctx: SignInContext, deps: Deps): void {
  answerSignIn(ctx, deps, 200);
}

/** The token arrives in a form, never in a URL. Attempts are counted before the lookup. */
export async function signIn(ctx: SignInContext, deps: Deps): Promise<void> {
  const { store, ops } = deps;
  const { form, logged } = ctx.state;
  const attempt = `operator/address/${addressKey(ctx.ip)}`;
  const waitMs = await countAttempt(store, attempt, GUESSES);
  if (waitMs > 0) throw new OpsPageError('limited', waitMs);
  const operator = await findOperatorByToken(store, (form.get('token') ?? '').trim());
  logged['sign_in'] = operator ? 'right' : 'wrong';
  if (!operator) return answerSignIn(ctx, deps, 422, form.get('to'));
  await uncountAttempt(store, attempt);
  logged['operator'] = operator.name;
  setCookie(ctx, ops, 'session', await openOperatorSession(store, operator));
  goTo(ctx, wayOn(form.get('to')));
}

/** The sign-in form, also shown instead of any page that needs a session (401). */
export function answerSignIn(
  ctx: ParameterizedContext<RequestState>,
  { ops }: Deps,
  status: number,
  to: string | null = ctx.path.replace(/(\/channels\/[^/]+)\/.*/, '$1'),
): void {
  const page = signInPage({
    service: ops.serviceName,
    csrf: maskToken(formTokenOf(ctx, ops)),
    to: wayOn(to),
    // A link from another site carries no session (SameSite=Strict); one from our pages does.
    again: status === 401 ? wayOn(to) : undefined,
    wrong: status === 422,
    action: OPS.signIn,
  });
  answerPage(ctx, page, status);
}
