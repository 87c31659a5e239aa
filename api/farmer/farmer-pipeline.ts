import type { Middleware } from 'koa';
import { answerInTime } from '../http/answer-in-time';
import type { ByteBudget } from '../limits/byte-budget';
import { formRoom } from '../pages/read-form';
import { limitAddress, type RateLimiter } from '../limits/rate-limit';
import type { RequestState, RouteTraits } from '../http/route';
import { refuseUnlessServing } from '../http/serving';
import { acceptForm } from './accept-form';
import { answerFarmerPages } from './answer-farmer-pages';
import { findSession } from './find-session';
import type { FarmerDeps, SessionState } from './farmer-state';
import { secondTapOf } from './second-tap';

/** The checks of a farmer's route. Their errors become pages. */
export function farmerPipeline(
  route: RouteTraits,
  deps: FarmerDeps,
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
