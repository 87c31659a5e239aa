import type { Middleware } from 'koa';

/** Answers are JSON unless a handler says otherwise; UTF-8 is JSON's only charset and is not named (contract 1). */
export const jsonAnswers: Middleware = async (ctx, next) => {
  ctx.set('Content-Type', 'application/json');
  ctx.set('Cache-Control', 'no-store');
  await next();
};
