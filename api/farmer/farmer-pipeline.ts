import type { Middleware } from 'koa';
import { answerInTime } from '../answer-in-time';
import type { ByteBudget } from '../byte-budget';
import { formRoom } from '../pages/read-form';
import { limitAddress, type RateLimiter } from '../rate-limit';
import type { Deps, RequestState, Route } from '../route';
import { refuseUnlessServing } from '../serving';
import { acceptForm } from './accept-form';
import { answerPages } from './answer-pages';
import { findVisit } from './find-visit';
import type { Visit } from './visit';

/** The checks of a farmer's route. Whatever one of them says becomes a page. */
export function farmerPipeline(
  route: Route,
  deps: Deps,
  { visits, forms }: { visits: RateLimiter; forms: ByteBudget },
): Middleware<RequestState & Visit>[] {
  return [
    answerPages(deps.log),
    refuseUnlessServing(deps.serving, route.caller),
    limitAddress(visits),
    answerInTime,
    ...(route.caller === 'farmer' ? [findVisit(deps)] : []),
    ...(route.method === 'POST' ? [acceptForm(deps, formRoom(route, forms))] : []),
  ];
}
