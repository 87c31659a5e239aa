import type { Middleware } from 'koa';
import { unavailable } from './http-error';
import type { Caller } from './route';

/** What the process is up to. Before the store is prepared a push would miss its counters. */
export interface Serving {
  phase: 'starting' | 'serving' | 'draining';
}

/** 503 while the process starts or drains; health is answered always. */
export function refuseUnlessServing(serving: Serving, caller: Caller): Middleware {
  return async (ctx, next) => {
    try {
      if (caller !== 'anyone' && serving.phase !== 'serving') throw unavailable();
      await next();
    } finally {
      // The connection ends with this answer, so that the process can end with its last connection.
      if (serving.phase === 'draining') ctx.set('Connection', 'close');
    }
  };
}
