import type { Middleware } from 'koa';
import type { RequestState } from '../http/route';
import { addressKey } from '../limits/rate-limit';
import { isForeign, isToken } from '../pages/csrf';
import { type FormRoom, readForm } from '../pages/read-form';
import type { Door } from './door';
import { PageError } from './page-error';
import { requireSession } from './require-session';
import type { PageDeps, SignedInState, SignInState } from './signed-in-state';

type State = RequestState & Partial<SignedInState> & Partial<SignInState>;

/** Accepts a form only from a page of this session, or from this browser's sign-in page. */
export function acceptPageForm(deps: PageDeps, door: Door, room: FormRoom): Middleware<State> {
  return async (ctx, next) => {
    if (isForeign(ctx, deps.pages.publicUrl)) throw new PageError('stale');
    const { channel, session } = ctx.state;
    // One key opens any number of sessions, so all sessions of a customer have one share.
    const form = await readForm(ctx, room, channel?._id ?? session?._id ?? addressKey(ctx.ip));
    // The upload may take long: an operator removed, or a key revoked during it, must not act.
    if (ctx.state.session) Object.assign(ctx.state, await requireSession(ctx, deps, door));
    const token = ctx.state.session?.csrf ?? ctx.state.formToken;
    if (!token || !isToken(token, form.get('csrf'))) throw new PageError('stale');
    ctx.state.form = form;
    await next();
  };
}
