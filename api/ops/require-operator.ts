import type { Middleware, ParameterizedContext } from 'koa';
import { findOperatorSession } from '../../store/access/operator-sessions';
import type { Deps, RequestState } from '../route';
import { readOpsCookie } from './cookies';
import { OpsPageError } from './ops-page-error';
import type { OperatorState } from './operator-state';

/** The operator and the session of the cookie. @throws OpsPageError when the session has ended */
export async function requireOperator(ctx: ParameterizedContext, { store, ops }: Deps) {
  const token = readOpsCookie(ctx, ops, 'session');
  const found = token && (await findOperatorSession(store, token));
  if (!found) throw new OpsPageError('signedOut');
  return found;
}

export function requireOperatorSession(deps: Deps): Middleware<RequestState & OperatorState> {
  return async (ctx, next) => {
    const found = await requireOperator(ctx, deps);
    ctx.state.logged['operator'] = found.operator.name;
    Object.assign(ctx.state, found, { form: new URLSearchParams() });
    await next();
  };
}
