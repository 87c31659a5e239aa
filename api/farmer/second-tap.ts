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

/** Answers a second tap whose first one has already ended the session. @returns whether it answered */
export type SecondTap = (ctx: ParameterizedContext, token: string) => Promise<boolean>;

/** A browser keeps the answer to the second of two taps only, so that one has to lead where the first one did. */
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

/** Still under the id from before the code, and with the form of that page: the code itself says whose tap it is. */
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
