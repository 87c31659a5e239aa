import Router, { type RouterMiddleware } from '@koa/router';
import Koa from 'koa';
import helmet from 'koa-helmet';
import { answerErrors } from './answer-errors';
import { authenticate, ownChannelOnly } from './authenticate';
import { createByteBudget } from './byte-budget';
import { jsonAnswers } from './json-answers';
import { DEFAULT_LIMITS, type Limits } from './limits';
import { logRequest } from './log-request';
import { createRateLimiter, limitRequests } from './rate-limit';
import { readBody } from './read-body';
import { requestId } from './request-id';
import type { Deps, Handler, RequestState, Route } from './route';
import { ROUTES } from './routes';
import { refuseUnlessServing } from './serving';
import { unmatched } from './unmatched';

/** The API as a Koa application: what every request meets, then the pipeline of its route. */
export function createApp(deps: Deps, limits: Limits = DEFAULT_LIMITS): Koa<RequestState> {
  const app = new Koa<RequestState>();
  app.on('error', (error: Error) =>
    deps.log.error({ error: { type: error.name, stack: error.stack } }, 'answer failed'),
  );
  app.use(requestId);
  app.use(logRequest(deps.log));
  app.use(helmet());
  app.use(jsonAnswers);
  app.use(answerErrors(deps.log));
  app.use(createRouter(deps, limits).routes());
  app.use(unmatched as Koa.Middleware<RequestState>);
  return app;
}

function createRouter(deps: Deps, limits: Limits): Router {
  const router = new Router({ sensitive: true, strict: true });
  const pipeline = createPipeline(deps, limits);
  for (const route of ROUTES) router.register(route.path, [route.method], pipeline(route));
  return router;
}

/** The checks of a route, in the order of contract 1, and its handler. */
function createPipeline(deps: Deps, limits: Limits): (route: Route) => RouterMiddleware[] {
  const failures = createRateLimiter(limits.failedAuthenticationsPerMinute);
  const requests = createRateLimiter(limits.requestsPerMinute);
  const budget = createByteBudget(limits.bodyBytesInFlight);
  return (route) =>
    [
      refuseUnlessServing(deps.serving, route.caller),
      ...(route.caller === 'anyone' ? [] : [authenticate(deps.store, route.caller, failures)]),
      ...(route.caller === 'channel' ? [ownChannelOnly] : []),
      ...(route.caller === 'anyone' ? [] : [limitRequests(requests)]),
      ...(route.maxBodyBytes ? [readBody(route.maxBodyBytes, budget)] : []),
      // Every check above has put into the context what this kind of caller's handler expects.
      (ctx: unknown) => (route.handle as Handler<unknown>)(ctx, deps),
    ] as RouterMiddleware[];
}
