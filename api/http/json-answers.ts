import type { Middleware } from 'koa';

/** Responses are JSON unless a handler says otherwise, without a charset parameter (docs/contract.md A1). */
export const jsonAnswers: Middleware = (ctx, next) => {
  ctx.set('Content-Type', 'application/json');
  ctx.set('Cache-Control', 'no-store');
  return next();
};
