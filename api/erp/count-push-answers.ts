import type { Middleware } from 'koa';
import { countPush } from '../../metrics/count-push';

/** Counts every response to a push, including those of the checks before its handler. */
export const countPushAnswers: Middleware = async (ctx, next) => {
  await next();
  if (ctx.method === 'POST' && ctx.path === '/api/v1/push') countPush(ctx.status);
};
