import type { RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import type { Tracing } from '../../domain/settings/tracing';
import { PROBES } from './health';
import type { RequestState } from './route';

/**
 * Makes a span for each request except probes, in the caller's trace if the request has a `traceparent`. Like
 * the metrics, it names the route and not the path, which may hold a farmer's phone.
 */
export function traceRequest(tracing: Tracing): Middleware<RequestState> {
  return async (ctx, next) => {
    if (PROBES.includes(ctx.path)) return next();
    const options = { kind: 'server', parent: ctx.get('traceparent') } as const;
    await tracing.inSpan(ctx.method, options, async (span) => {
      ctx.state.traceparent = span.traceparent;
      await next();
      const route = String((ctx as unknown as RouterContext)._matchedRoute ?? 'unmatched');
      span.rename(`${ctx.method} ${route}`);
      span.set({
        'http.request.method': ctx.method,
        'http.route': route,
        'http.response.status_code': ctx.status,
        request_id: ctx.state.requestId,
      });
      if (ctx.status >= 500) span.fail();
    });
  };
}
