import type { Middleware, ParameterizedContext } from 'koa';
import { randomBytes } from 'node:crypto';
import type { OpsSettings } from '../../ops/ops-settings';
import type { Deps, RequestState } from '../../route';
import { readDoorCookie, setCookie } from './cookies';
import type { Door } from './door';
import type { SignInState } from './signed-in-state';

/** The CSRF token of the sign-in form, stored in a cookie while there is no session. */
export function formTokenOf(ctx: ParameterizedContext, settings: OpsSettings, door: Door): string {
  const known = readDoorCookie(ctx, settings, door, 'form');
  if (known) return known;
  const token = randomBytes(32).toString('base64url');
  setCookie(ctx, settings, door, { purpose: 'form', token });
  return token;
}

export function giveFormToken({ ops }: Deps, door: Door): Middleware<RequestState & SignInState> {
  return async (ctx, next) => {
    const state = { door, formToken: formTokenOf(ctx, ops, door), form: new URLSearchParams() };
    Object.assign(ctx.state, state);
    await next();
  };
}
