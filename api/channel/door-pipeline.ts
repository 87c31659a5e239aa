import type { RouteTraits } from '../http/route';
import { pagePipeline, type PageLimits } from '../pages/page-pipeline';
import { acceptPageForm } from './accept-page-form';
import { answerChannelPages } from './answer-channel-pages';
import type { Door } from './door';
import { giveFormToken } from './form-token';
import { isAct, requireRole } from './require-role';
import { requireSignedIn } from './require-session';
import type { PageDeps } from './signed-in-state';

/** A customer's pages count with its requests to the API. Otherwise they would double what it may ask for. */
interface DoorLimits extends PageLimits {
  ofChannel: unknown[];
}

/** The checks of a route behind a door, or of the door itself. */
export const doorPipeline = (route: RouteTraits, door: Door, deps: PageDeps, limits: DoorLimits): unknown[] =>
  pagePipeline(route, deps.serving, limits, (room) => {
    const isOutside = route.caller === 'signing-in' || route.caller === 'customer-signing-in';
    return {
      answerErrors: answerChannelPages(deps, door),
      enter: [
        isOutside ? giveFormToken(deps, door) : requireSignedIn(deps, door),
        ...(!isOutside && door.holder === 'channel' ? limits.ofChannel : []),
        ...(!isOutside && isAct(route, door) ? [requireRole] : []),
      ],
      acceptForm: acceptPageForm(deps, door, room),
    };
  });
