import type { Middleware } from 'koa';
import { answerInTime } from '../answer-in-time';
import type { ByteBudget } from '../byte-budget';
import { formRoom } from '../pages/read-form';
import { limitAddress, type RateLimiter } from '../rate-limit';
import type { Deps, RequestState, Route } from '../route';
import { refuseUnlessServing } from '../serving';
import { acceptForm } from './accept-form';
import { answerFarmerPages } from './answer-farmer-pages';
import { findSession } from './find-session';
import type { SessionState } from './farmer-state';
import { secondTapOf } from './second-tap';

/** The checks of a farmer's route. Their errors become pages. */
export function farmerPipeline(
  route: Route,
  deps: Deps,
  { visits, forms }: { visits: RateLimiter; forms: ByteBudget },
): Middleware<RequestState & SessionState>[] {
  const { caller } = route;
  const room = formRoom(route, forms);
  return [
    answerFarmerPages(deps.log),
    refuseUnlessServing(deps.serving, caller),
    limitAddress(visits),
    answerInTime,
    ...(caller === 'farmer' || caller === 'sharer'
      ? [findSession(deps, caller, secondTapOf(route, deps, room))]
      : []),
    ...(route.method === 'POST' ? [acceptForm(deps, room)] : []),
  ];
}
