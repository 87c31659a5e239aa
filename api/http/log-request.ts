import type { RouterContext } from '@koa/router';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { countRequest } from '../../telemetry/counts';
import { reportError } from './report-error';
import type { RequestState } from './route';

const LONGEST_PATH = 200;

/**
 * Of a path without a route what stands before the first character that no route of ours has, its digits hidden: a farmer's link that
 * lost its `?` has phone, partner_id and signature there.
 */
const pathOf = (ctx: Pick<RouterContext, 'path' | '_matchedRoute'>) =>
  ctx._matchedRoute ? ctx.path : /^[\w./-]*/.exec(ctx.path)![0].replace(/\d/g, '#');

/** The trace id in a `traceparent` header (W3C Trace Context), by which the log lines of a trace are found. */
function traceOf(traceparent: string): { trace_id?: string } {
  const [, trace_id] = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-/.exec(traceparent) ?? [];
  return trace_id ? { trace_id } : {};
}

/**
 * Counts each request, and logs one wide line without headers, query or body. Handlers add to it by
 * `ctx.state.logged`. Before it comes why the request failed.
 * @param isWritten whether this request has a line of its own
 */
export function logRequest(
  log: Logger,
  isWritten: (ctx: ParameterizedContext<RequestState>) => boolean,
): Middleware<RequestState> {
  return async (ctx, next) => {
    const started = performance.now();
    ctx.state.logged = {};
    await next();
    const milliseconds = performance.now() - started;
    countRequest(ctx.method, (ctx as RouterContext)._matchedRoute, {
      status: ctx.status,
      seconds: milliseconds / 1_000,
    });
    if (!isWritten(ctx)) return;
    reportError(log, ctx.state);
    const line = {
      method: ctx.method,
      path: pathOf(ctx).slice(0, LONGEST_PATH),
      status: ctx.status,
      milliseconds: Math.round(milliseconds),
      ...ctx.state.logged,
      request_id: ctx.state.requestId,
      ...traceOf(ctx.state.traceparent ?? ctx.get('traceparent')),
      address: ctx.ip,
    };
    log[ctx.state.logged['quiet'] ? 'debug' : 'info'](line, 'request');
  };
}
