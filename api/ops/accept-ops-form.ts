import type { Middleware } from 'koa';
import { isToken } from '../pages/csrf';
import { isForeign } from '../pages/is-foreign';
import { type FormRoom, readForm } from '../pages/read-form';
import type { Deps, RequestState } from '../route';
import { requireOperator } from './require-operator';
import { OpsPageError } from './ops-page-error';
import type { OperatorState, SignInState } from './operator-state';

type State = RequestState & Partial<OperatorState> & Partial<SignInState>;

/** Accepts a form only from a page of this session, or from this browser's sign-in page. */
export function acceptOpsForm(deps: Deps, room: FormRoom): Middleware<State> {
  return async (ctx, next) => {
    if (isForeign(ctx, deps.ops.publicUrl)) throw new OpsPageError('stale');
    const form = await readForm(ctx, room);
    // The upload may take long: an operator removed meanwhile must not act.
    if (ctx.state.session) await requireOperator(ctx, deps);
    const token = ctx.state.session?.csrf ?? ctx.state.formToken;
    if (!token || !isToken(token, form.get('csrf'))) throw new OpsPageError('stale');
    ctx.state.form = form;
    await next();
  };
}
