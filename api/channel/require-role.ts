import type { Middleware } from 'koa';
import type { RequestState, RouteTraits } from '../http/route';
import type { Door } from './door';
import { PageError } from './page-error';
import type { SignedInState } from './signed-in-state';

/** Whether the route needs the right to act: each form but signing out, and each page that asks first. */
export const isAct = ({ method, path }: RouteTraits, { paths }: Door) =>
  method === 'POST' ? path !== paths.signOut : path.startsWith(`${paths.channel}/`);

/** @throws PageError for an operator who may only read, before the form is read */
export const requireRole: Middleware<RequestState & SignedInState> = (ctx, next) => {
  if (!ctx.state.mayAct) throw new PageError('readsOnly');
  return next();
};
