import Router, { type RouterMiddleware } from '@koa/router';
import Koa from 'koa';
import helmet from 'koa-helmet';
import { answerErrors } from './answer-errors';
import { handleInTime } from './answer-in-time';
import { authenticate, ownChannelOnly } from './authenticate';
import { createByteBudget, type ByteBudget } from './byte-budget';
import { answerStrays } from './farmer/answer-strays';
import { farmerPipeline } from './farmer/farmer-pipeline';
import { jsonAnswers } from './json-answers';
import { DEFAULT_LIMITS, type Limits } from './limits';
import { logRequest } from './log-request';
import { opsPipeline } from './ops/ops-pipeline';
import { createRateLimiter, limitAddress, limitRequests, type RateLimiter } from './rate-limit';
import { countPushes } from './push/count-pushes';
import { readBody } from './read-body';
import { requestId } from './request-id';
import type { Caller, Deps, Handler, RequestState, Route } from './route';
import { ROUTES } from './routes';
import { refuseUnlessServing } from './serving';
import { unmatched } from './unmatched';

/** The API as a Koa application: what every request meets, then the pipeline of its route. */
export function createApp(deps: Deps, limits: Limits = DEFAULT_LIMITS): Koa<RequestState> {
  const { trustedProxies } = deps.farmer;
  const app = new Koa<RequestState>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  app.on('error', (error: Error) =>
    deps.log.error({ error: { type: error.name, stack: error.stack } }, 'answer failed'),
  );
  app.use(requestId);
  app.use(logRequest(deps.log));
  app.use(countPushes);
  app.use(helmet());
  app.use(jsonAnswers);
  app.use(answerErrors(deps.log));
  app.use(createRouter(deps, limits).routes());
  app.use(answerStrays(deps.log));
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
  const addresses = createRateLimiter(limits.requestsOfAddressPerMinute);
  const requests = createRateLimiter(limits.requestsPerMinute);
  const visits = createRateLimiter(limits.visitsPerMinute);
  const budget = createByteBudget(limits.bodyBytesInFlight);
  const forms = createByteBudget(limits.formBytesInFlight);
  const checksOf = (route: Route): unknown[] => {
    const { caller } = route;
    if (isForFarmers(caller)) return farmerPipeline(route, deps, { visits, forms });
    if (isForOperators(caller)) return opsPipeline(route, deps, { visits, forms });
    return systemPipeline(route, caller, deps, { failures, addresses, requests, budget });
  };
  return (route) => {
    const checks = checksOf(route);
    // Every check has put into the context what this kind of caller's handler expects.
    const handle = handleInTime((ctx) => (route.handle as Handler<unknown>)(ctx, deps));
    return [...checks, handle] as RouterMiddleware[];
  };
}

function systemPipeline(
  route: Route,
  caller: 'anyone' | 'integration' | 'channel',
  deps: Deps,
  shared: Record<'failures' | 'addresses' | 'requests', RateLimiter> & { budget: ByteBudget },
): unknown[] {
  return [
    refuseUnlessServing(deps.serving, caller),
    ...(caller === 'anyone'
      ? []
      : [limitAddress(shared.addresses), authenticate(deps.store, caller, shared.failures)]),
    ...(caller === 'channel' ? [ownChannelOnly] : []),
    ...(caller === 'anyone' ? [] : [limitRequests(shared.requests)]),
    ...(route.maxBodyBytes ? [readBody(route.maxBodyBytes, shared.budget)] : []),
  ];
}

const isForFarmers = (caller: Caller): caller is 'visitor' | 'farmer' =>
  caller === 'visitor' || caller === 'farmer';

const isForOperators = (caller: Caller): caller is 'signing-in' | 'operator' =>
  caller === 'signing-in' || caller === 'operator';
