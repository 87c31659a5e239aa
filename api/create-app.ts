import Router, { type RouterMiddleware } from '@koa/router';
import Koa from 'koa';
import compose from 'koa-compose';
import helmet from 'koa-helmet';
import { answerErrors } from './server/answer-errors';
import { handleInTime } from './http/answer-in-time';
import { authenticate, authenticateAgain, ownChannelOnly } from './server/authenticate';
import { createByteBudget } from './limits/byte-budget';
import { callerAddress, countedAddress } from './http/caller-address';
import { CUSTOMERS_DOOR } from './customer/customers-door';
import { answerUnknownPages } from './farmer/answer-farmer-pages';
import { farmerPipeline } from './farmer/farmer-pipeline';
import { PROBES } from './http/health';
import { jsonAnswers } from './http/json-answers';
import { DEFAULT_LIMITS, type Limits } from './limits/limits';
import { createIntegrationFinder } from './server/kept-integrations';
import { limitAddressInProgress, limitInProgress } from './limits/limit-in-progress';
import { createLineLimit } from './limits/limit-lines';
import { leadPeople } from './http/lead-people';
import { logRequest } from './http/log-request';
import { OPERATORS_DOOR } from './ops/operators-door';
import type { Door } from './channel/door';
import { doorPipeline } from './channel/door-pipeline';
import { createUseNotes } from './server/note-uses';
import { createRateLimiter, limitAddress, limitRequests } from './limits/rate-limit';
import { readBody } from './server/read-body';
import { refuseUnknownQuery } from './server/refuse-unknown-query';
import { requestId } from './http/request-id';
import type { Caller, RequestState } from './http/route';
import { type ApiDeps, type Handler, type Route, ROUTES } from './routes';
import { showGuide } from './guide/show-guide';
import { refuseUnlessServing } from './http/serving';
import { traceRequest } from './http/trace-request';
import { createSharedLimiter } from './limits/shared-limiter';
import { createShares } from './limits/shares';
import { unmatched } from './http/unmatched';

/** Whom a listener is for: in production operators have one of their own, which no public route leads to. */
export type Side = 'all' | 'public' | 'operators';

/** The caller has left before the answer. Its request has a line of the log, and strangers may add only so many. */
const HUNG_UP = new Set<unknown>(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** The API as a Koa application: the common middleware, then the pipeline of the route. */
export function createApp(
  deps: ApiDeps,
  limits: Limits = DEFAULT_LIMITS,
  side: Side = 'all',
): Koa<RequestState> {
  const { trustedProxies } = deps.farmer;
  const { tracing } = deps.store;
  const app = new Koa<RequestState>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (!HUNG_UP.has(error.code))
      deps.log.error({ error: { type: error.name, stack: error.stack } }, 'answer failed');
  });
  app.use(requestId);
  app.use(callerAddress(deps.log));
  if (tracing) app.use(traceRequest(tracing));
  app.use(logRequest(deps.log, createLineLimit(deps.log, limits.linesOfStrangerPerMinute)));
  app.use(helmet());
  app.use(jsonAnswers);
  app.use(answerErrors);
  const ofAddress = limitsOfAddress(limits);
  const unknownPages = answerUnknownPages(
    deps,
    side === 'operators' ? ['ops'] : ['sharing', 'customer', 'guide', 'docs'],
  );
  for (const router of createRouters(deps, limits, { ...ofAddress, unknownPages }, side))
    app.use(router.routes());
  app.use(unknownPages);
  ofAddress.stray.forEach((limit) => app.use(limit));
  app.use(leadPeople(side === 'operators' ? '/ops' : '/sharing'));
  app.use(unmatched as Koa.Middleware<RequestState>);
  return app;
}

/** What an address may ask for before anybody is known, and what nobody has to be known for. */
function limitsOfAddress({ requestsInProgressOfAddress, strayRequestsPerMinute }: Limits) {
  const inProgress = limitAddressInProgress(createShares(requestsInProgressOfAddress));
  const strays = limitAddress(createRateLimiter(strayRequestsPerMinute), countedAddress);
  return { inProgress, stray: [strays, inProgress] };
}

/** What routes share with each other, and with what no route answers. */
type Shared = ReturnType<typeof limitsOfAddress> & { unknownPages: Koa.Middleware<RequestState> };

/** A router compares a path with each of its routes: a push is not compared with those of pages. */
function createRouters(deps: ApiDeps, limits: Limits, shared: Shared, side: Side): Router[] {
  const pipeline = createPipeline(deps, limits, shared);
  const isOfApi = ({ path }: Route) => path.startsWith('/api/');
  return [ROUTES.filter(isOfApi), ROUTES.filter((route) => !isOfApi(route))].map((routes) => {
    const router = new Router({ sensitive: true, strict: true });
    for (const route of routes)
      if (isOn(side, route)) router.register(route.path, [route.method], pipeline(route));
    return router;
  });
}

/** Whether a route is on the listener of that side. */
export const isOn = (side: Side, { caller }: Route) =>
  side === 'all' || (side === 'operators') === (caller === 'signing-in' || caller === 'operator');

/** A route's checks, in the order of docs/contract.md A3, and its handler. */
function createPipeline(
  deps: ApiDeps,
  limits: Limits,
  { inProgress, stray, unknownPages }: Shared,
): (route: Route) => RouterMiddleware {
  const { store } = deps;
  const shared = (what: string, perMinute: number) => createSharedLimiter(store, what, perMinute);
  const authenticating = {
    store,
    findIntegration: createIntegrationFinder(store),
    failures: shared('failed-authentications', limits.failedAuthenticationsPerMinute),
    noteUse: createUseNotes(store),
  };
  const addresses = createRateLimiter(limits.requestsOfAddressPerMinute);
  const requests = shared('requests', limits.requestsPerMinute);
  const ofCaller = {
    integration: limitInProgress(createShares(limits.requestsInProgressOfErp)),
    channel: limitInProgress(createShares(limits.requestsInProgressOfCustomer)),
  };
  const limitCaller = (caller: 'integration' | 'channel', weight = 1) => [
    ofCaller[caller],
    limitRequests(requests, weight),
  ];
  const visits = createRateLimiter(limits.visitsPerMinute);
  const budget = createByteBudget(limits.bodyBytesInFlight, limits.bodyBytesOfCaller);
  const forms = createByteBudget(limits.formBytesInFlight, limits.formBytesOfOwner);
  const ofPages = { visits, inProgress, forms };
  const identify = (caller: 'integration' | 'channel', weight?: number) => [
    limitAddress(addresses),
    inProgress,
    authenticate(authenticating, caller),
    ...limitCaller(caller, weight),
    ...(caller === 'channel' ? [ownChannelOnly] : []),
  ];
  // A process must not be taken for dead because somebody else asks too often.
  const ofOpen = ({ path }: Route) => (PROBES.includes(path) ? [inProgress] : stray);
  const checksOf = (route: Route): unknown[] => {
    const { caller, maxBodyBytes, emptyBody, weight } = route;
    if (isForFarmers(caller)) return farmerPipeline(route, deps, ofPages);
    if (isBehindDoor(caller))
      return doorPipeline(route, DOORS[caller], deps, { ...ofPages, ofChannel: limitCaller('channel') });
    return [
      // Which pages the guide has its handler knows.
      ...(route.handle === showGuide ? [unknownPages] : []),
      refuseUnlessServing(deps.serving, caller),
      ...(caller === 'anyone' ? ofOpen(route) : identify(caller, weight)),
      ...(maxBodyBytes ? [readBody(maxBodyBytes, emptyBody, budget), authenticateAgain] : []),
      ...(caller === 'anyone' ? [] : [refuseUnknownQuery(route.query)]),
    ];
  };
  return (route) => {
    const checks = checksOf(route);
    // The checks have put the state into the context that this kind of handler expects.
    const handle = handleInTime((ctx) => (route.handle as Handler<unknown>)(ctx, deps));
    return compose([...checks, handle] as RouterMiddleware[]); // once, and not for each request
  };
}

const isForFarmers = (caller: Caller): caller is 'visitor' | 'farmer' | 'sharer' =>
  caller === 'visitor' || caller === 'farmer' || caller === 'sharer';

const DOORS = {
  'signing-in': OPERATORS_DOOR,
  operator: OPERATORS_DOOR,
  'customer-signing-in': CUSTOMERS_DOOR,
  customer: CUSTOMERS_DOOR,
} satisfies Partial<Record<Caller, Door>>;

const isBehindDoor = (caller: Caller): caller is keyof typeof DOORS => caller in DOORS;
