import type { ParameterizedContext } from 'koa';
import { readCode } from '../../domain/read-code';
import { tokenOfSecondTap, wayOutOf } from '../../store/sessions/session-ends';
import { countedAddress } from '../http/caller-address';
import { addressKey } from '../limits/rate-limit';
import { goTo } from '../pages/answer-page';
import { isForeign } from '../pages/csrf';
import { type FormRoom, readForm } from '../pages/read-form';
import type { RouteTraits } from '../http/route';
import { PATHS, signInPathsAt } from './paths';
import { setSessionCookie } from './session-cookie';
import type { FarmerDeps } from './farmer-state';

/** Answers a second tap after the first one has ended the session. @returns whether it answered */
export type SecondTap = (ctx: ParameterizedContext, token: string) => Promise<boolean>;

/**
 * The routes that have to answer a second tap. Of two taps a browser shows only the second answer, so it must lead to
 * the same page as the first.
 */
export function secondTapOf(
  { method, path }: RouteTraits,
  deps: FarmerDeps,
  room: FormRoom,
): SecondTap | undefined {
  if (path === PATHS.leave) return leaveAgain(deps);
  return path === signInPathsAt(path).code && method === 'POST' ? enterAgain(deps, room) : undefined;
}

const leaveAgain =
  ({ store }: FarmerDeps): SecondTap =>
  async (ctx, token) => {
    const wayOut = await wayOutOf(store, token);
    if (wayOut !== undefined) goTo(ctx, wayOut);
    return wayOut !== undefined;
  };

/** The second tap still has the old session's id and the form of the code page. The code itself proves whose tap it is. */
const enterAgain =
  ({ store, farmer }: FarmerDeps, room: FormRoom): SecondTap =>
  async (ctx, oldToken) => {
    if (isForeign(ctx, farmer.publicUrl)) return false;
    const form = await readForm(ctx, room, addressKey(countedAddress(ctx)));
    const token = await tokenOfSecondTap(store, oldToken, readCode(form.get('code') ?? ''));
    if (token === undefined) return false;
    setSessionCookie(ctx, farmer, token);
    goTo(ctx, signInPathsAt(ctx.path).next);
    return true;
  };
