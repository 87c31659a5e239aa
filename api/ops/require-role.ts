import type { Middleware } from 'koa';
import { roleOf } from '../../store/access/operators';
import type { RequestState, Route } from '../route';
import type { OperatorState } from './operator-state';
import { OpsPageError } from './ops-page-error';
import { OPS } from './paths';

/** Whether the route is for those who act: every form but signing out, and the page whose only use is its button. */
export const isAct = ({ caller, method, path }: Route) =>
  caller === 'operator' && (method === 'POST' ? path !== OPS.signOut : path === OPS.reset);

/** @throws OpsPageError for an operator who may only read, before anything of the form is read */
export const requireOperate: Middleware<RequestState & OperatorState> = (ctx, next) => {
  if (roleOf(ctx.state.operator) !== 'operate') throw new OpsPageError('readsOnly');
  return next();
};
