import type { Middleware, ParameterizedContext } from 'koa';
import { findOperatorSession } from '../../store/operator-sessions';
import type { Deps, RequestState } from '../route';
import { readOpsCookie } from './cookies';
import { OpsTrouble } from './ops-trouble';
import type { OperatorVisit } from './visit';

/** Whose session it is. @throws OpsTrouble when there is none any more */
export async function requireOperator(ctx: ParameterizedContext, { store, ops }: Deps) {
  const token = readOpsCookie(ctx, ops, 'session');
  const found = token && (await findOperatorSession(store, token));
  if (!found) throw new OpsTrouble('signedOut');
  return found;
}

export function findOperator(deps: Deps): Middleware<RequestState & OperatorVisit> {
  return async (ctx, next) => {
    const found = await requireOperator(ctx, deps);
    ctx.state.logged['operator'] = found.operator.name;
    Object.assign(ctx.state, found, { form: new URLSearchParams() });
    await next();
  };
}
