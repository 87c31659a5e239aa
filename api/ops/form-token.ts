import type { Middleware, ParameterizedContext } from 'koa';
import { randomBytes } from 'node:crypto';
import type { Deps, RequestState } from '../route';
import { readOpsCookie, setCookie } from './cookies';
import type { OpsSettings, SigningIn } from './visit';

/** What the form of the sign-in page must bring along: it is in a cookie as long as there is no session. */
export function formTokenOf(ctx: ParameterizedContext, settings: OpsSettings): string {
  const known = readOpsCookie(ctx, settings, 'form');
  if (known) return known;
  const token = randomBytes(32).toString('base64url');
  setCookie(ctx, settings, 'form', token);
  return token;
}

export function giveFormToken({ ops }: Deps): Middleware<RequestState & SigningIn> {
  return async (ctx, next) => {
    ctx.state.formToken = formTokenOf(ctx, ops);
    ctx.state.form = new URLSearchParams();
    await next();
  };
}
