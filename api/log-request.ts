import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { RequestState } from './route';

const LONGEST_PATH = 200;

/** One wide line a request: no headers, no query, no body. Handlers add to it by `ctx.state.logged`. */
export function logRequest(log: Logger): Middleware<RequestState> {
  return async (ctx, next) => {
    const started = performance.now();
    ctx.state.logged = {};
    await next();
    const line = {
      method: ctx.method,
      path: ctx.path.slice(0, LONGEST_PATH),
      status: ctx.status,
      milliseconds: Math.round(performance.now() - started),
      ...ctx.state.logged,
      request_id: ctx.state.requestId,
      address: ctx.ip,
    };
    log[ctx.state.logged['quiet'] ? 'debug' : 'info'](line, 'request');
  };
}
