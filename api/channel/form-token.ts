import type { Middleware, ParameterizedContext } from 'koa';
import { randomBytes } from 'node:crypto';
import type { RequestState } from '../http/route';
import { readDoorCookie, setDoorCookie } from './cookies';
import type { Door } from './door';
import type { PageDeps, PageSettings, SignInState } from './signed-in-state';

/** The CSRF token of the sign-in form, stored in a cookie while there is no session. */
export function formTokenOf(ctx: ParameterizedContext, settings: PageSettings, door: Door): string {
  const known = readDoorCookie(ctx, settings, door, 'form');
  if (known) return known;
  const token = randomBytes(32).toString('base64url');
  setDoorCookie(ctx, settings, door, { purpose: 'form', token });
  return token;
}

export function giveFormToken({ pages }: PageDeps, door: Door): Middleware<RequestState & SignInState> {
  return async (ctx, next) => {
    const state = { door, formToken: formTokenOf(ctx, pages, door), form: new URLSearchParams() };
    Object.assign(ctx.state, state);
    await next();
  };
}
