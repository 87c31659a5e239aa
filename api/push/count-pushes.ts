import type { Middleware } from 'koa';
import { countPush } from '../../metrics/count-push';

/** Counts every answer to a push, those of the checks before its handler as well. */
export const countPushes: Middleware = async (ctx, next) => {
  await next();
  if (ctx.method === 'POST' && ctx.path === '/api/v1/push') countPush(ctx.status);
};
