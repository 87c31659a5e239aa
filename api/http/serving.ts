import type { Middleware } from 'koa';
import { unavailable } from './http-error';
import type { Caller, Serving } from './route';

/** Answers 503 while the process starts or drains, except for the health checks. */
export function refuseUnlessServing(serving: Serving, caller: Caller): Middleware {
  return async (ctx, next) => {
    try {
      if (caller !== 'anyone' && serving.phase !== 'serving') throw unavailable();
      await next();
    } finally {
      // Closes the connection, so that the process can exit once the last one has ended.
      if (serving.phase === 'draining') ctx.set('Connection', 'close');
    }
  };
}
