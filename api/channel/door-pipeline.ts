import { answerInTime } from '../http/answer-in-time';
import type { ByteBudget } from '../limits/byte-budget';
import { limitAddress, type RateLimiter } from '../limits/rate-limit';
import type { RouteTraits } from '../http/route';
import { refuseUnlessServing } from '../http/serving';
import { formRoom } from '../pages/read-form';
import { acceptPageForm } from './accept-page-form';
import { answerChannelPages } from './answer-channel-pages';
import type { Door } from './door';
import { giveFormToken } from './form-token';
import { isAct, requireRole } from './require-role';
import { requireSignedIn } from './require-session';
import type { PageDeps } from './signed-in-state';

/** The checks of a route behind a door, or of the door itself. Their errors become pages. */
export function doorPipeline(
  route: RouteTraits,
  door: Door,
  deps: PageDeps,
  { visits, forms }: { visits: RateLimiter; forms: ByteBudget },
): unknown[] {
  const isOutside = route.path === door.paths.signIn;
  return [
    answerChannelPages(deps, door),
    refuseUnlessServing(deps.serving, route.caller),
    limitAddress(visits),
    answerInTime,
    isOutside ? giveFormToken(deps, door) : requireSignedIn(deps, door),
    ...(!isOutside && isAct(route, door) ? [requireRole] : []),
    ...(route.method === 'POST' ? [acceptPageForm(deps, door, formRoom(route, forms))] : []),
  ];
}
