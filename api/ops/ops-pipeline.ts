import { answerInTime } from '../answer-in-time';
import type { ByteBudget } from '../byte-budget';
import { formRoom } from '../pages/read-form';
import { limitAddress, type RateLimiter } from '../rate-limit';
import type { Deps, Route } from '../route';
import { refuseUnlessServing } from '../serving';
import { acceptOpsForm } from './accept-ops-form';
import { answerOpsPages } from './answer-ops-pages';
import { requireOperatorSession } from './require-operator';
import { isAct, requireOperate } from './require-role';
import { giveFormToken } from './form-token';

/** The checks of an operator's route. Their errors become pages. */
export function opsPipeline(
  route: Route,
  deps: Deps,
  { visits, forms }: { visits: RateLimiter; forms: ByteBudget },
): unknown[] {
  return [
    answerOpsPages(deps),
    refuseUnlessServing(deps.serving, route.caller),
    limitAddress(visits),
    answerInTime,
    route.caller === 'operator' ? requireOperatorSession(deps) : giveFormToken(deps),
    ...(isAct(route) ? [requireOperate] : []),
    ...(route.method === 'POST' ? [acceptOpsForm(deps, formRoom(route, forms))] : []),
  ];
}
