import type { Middleware } from 'koa';
import { isLoopback } from '../../domain/unsafe-settings';
import { isForwarded } from '../http/caller-address';
import type { RouteTraits } from '../http/route';
import { pagePipeline, type PageLimits } from '../pages/page-pipeline';
import { acceptForm } from './accept-form';
import { answerFarmerPages } from './answer-farmer-pages';
import { FarmerPageError } from './farmer-page-error';
import type { FarmerDeps } from './farmer-state';
import { findSession } from './find-session';
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

/** Where codes are shown on the screen, they prove nothing. A browser on another machine then gets no page (421). */
function ownMachineOnly({ sender, farmer }: FarmerDeps): Middleware {
  return async (ctx, next) => {
    if (sender.showsCodes && (isForwarded(ctx) || !isOurs(ctx.get('Host'), farmer.publicUrl)))
      throw new FarmerPageError('elsewhere');
    await next();
  };
}

const isOurs = (host: string, publicUrl: string) =>
  host === new URL(publicUrl).host || isLoopback(host.replace(/:\d+$/, '').replace(/[[\]]/g, ''));
