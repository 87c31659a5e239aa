import type { Middleware, ParameterizedContext } from 'koa';
import { randomBytes } from 'node:crypto';
import type { Deps, RequestState } from '../route';
import { readOpsCookie, setCookie } from './cookies';
import type { OpsSettings, SignInState } from './operator-state';

/** The CSRF token of the sign-in form, stored in a cookie while there is no session. */
export function formTokenOf(ctx: ParameterizedContext, settings: OpsSettings): string {
  const known = readOpsCookie(ctx, settings, 'form');
  if (known) return known;
  const token = randomBytes(32).toString('base64url');
  setCookie(ctx, settings, 'form', token);
  return token;
}

export function giveFormToken({ ops }: Deps): Middleware<RequestState & SignInState> {
  return async (ctx, next) => {
    ctx.state.formToken = formTokenOf(ctx, ops);
    ctx.state.form = new URLSearchParams();
    await next();
  };
}
