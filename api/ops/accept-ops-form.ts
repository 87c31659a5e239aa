import type { Middleware } from 'koa';
import type { ByteBudget } from '../byte-budget';
import { readForm } from '../farmer/read-form';
import { isToken } from '../pages/csrf';
import { isForeign } from '../pages/is-foreign';
import type { Deps, RequestState } from '../route';
import { OpsTrouble } from './ops-trouble';
import type { OperatorVisit, SigningIn } from './visit';

type State = RequestState & Partial<OperatorVisit> & Partial<SigningIn>;

/** Takes a form only from a page of this session, or of this browser's sign-in page. */
export function acceptOpsForm({ ops }: Deps, budget: ByteBudget): Middleware<State> {
  return async (ctx, next) => {
    if (isForeign(ctx, ops.publicUrl)) throw new OpsTrouble('stale');
    const form = await readForm(ctx.req, ctx.request.type, budget);
    const token = ctx.state.session?.csrf ?? ctx.state.formToken;
    if (!token || !isToken(token, form.get('csrf'))) throw new OpsTrouble('stale');
    ctx.state.form = form;
    await next();
  };
}
