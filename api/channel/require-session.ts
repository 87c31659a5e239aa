import type { Middleware, ParameterizedContext } from 'koa';
import type { RequestState } from '../http/route';
import { readDoorCookie } from './cookies';
import type { Door, SignedIn } from './door';
import { PageError } from './page-error';
import type { PageDeps, SignedInState } from './signed-in-state';

/** Finds the session of the cookie. @throws PageError when there is none or it has ended */
export async function requireSession(
  ctx: ParameterizedContext,
  { store, pages }: PageDeps,
  door: Door,
): Promise<SignedIn> {
  const token = readDoorCookie(ctx, pages, door, 'session');
  const found = token && (await door.find(store, token, ctx.ip));
  if (!found) throw new PageError('signedOut');
  return found;
}

export function requireSignedIn(deps: PageDeps, door: Door): Middleware<RequestState & SignedInState> {
  return async (ctx, next) => {
    const found = await requireSession(ctx, deps, door);
    ctx.state.logged[door.holder] = found.channel?._id ?? found.by;
    Object.assign(ctx.state, found, { door, form: new URLSearchParams() });
    await next();
  };
}
