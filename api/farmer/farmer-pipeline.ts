import type { RouteTraits } from '../http/route';
import { pagePipeline, type PageLimits } from '../pages/page-pipeline';
import { acceptForm } from './accept-form';
import { answerFarmerPages } from './answer-farmer-pages';
import type { FarmerDeps } from './farmer-state';
import { findSession } from './find-session';
import { ownMachineOnly } from './own-machine-only';
import { secondTapOf } from './second-tap';

/** The checks before the handler of a farmer's route, in order. */
export const farmerPipeline = (route: RouteTraits, deps: FarmerDeps, limits: PageLimits): unknown[] =>
  pagePipeline(route, deps.serving, limits, (room) => {
    const { caller } = route;
    const hasSession = caller === 'farmer' || caller === 'sharer';
    return {
      answerErrors: answerFarmerPages(deps.log),
      enter: [
        ownMachineOnly(deps),
        ...(hasSession ? [findSession(deps, caller, secondTapOf(route, deps, room))] : []),
      ],
      acceptForm: acceptForm(deps, room),
    };
  });
