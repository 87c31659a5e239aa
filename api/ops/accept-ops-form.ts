import type { Middleware } from 'koa';
import { isToken } from '../pages/csrf';
import { isForeign } from '../pages/is-foreign';
import { type FormRoom, readForm } from '../pages/read-form';
import type { Deps, RequestState } from '../route';
import { requireOperator } from './find-operator';
import { OpsTrouble } from './ops-trouble';
import type { OperatorVisit, SigningIn } from './visit';

type State = RequestState & Partial<OperatorVisit> & Partial<SigningIn>;

/** Takes a form only from a page of this session, or of this browser's sign-in page. */
export function acceptOpsForm(deps: Deps, room: FormRoom): Middleware<State> {
  return async (ctx, next) => {
    if (isForeign(ctx, deps.ops.publicUrl)) throw new OpsTrouble('stale');
    const form = await readForm(ctx.req, ctx.request.type, room);
    // It may have been long on its way: whoever was removed meanwhile does nothing any more.
    if (ctx.state.session) await requireOperator(ctx, deps);
    const token = ctx.state.session?.csrf ?? ctx.state.formToken;
    if (!token || !isToken(token, form.get('csrf'))) throw new OpsTrouble('stale');
    ctx.state.form = form;
    await next();
  };
}
