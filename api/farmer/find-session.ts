import type { Middleware } from 'koa';
import { findChannel } from '../../store/feed/channels';
import { refreshHashKeys } from '../../store/access/hash-key';
import { findFarmerSession } from '../../store/access/farmer-sessions';
import type { Deps, RequestState } from '../route';
import { readSessionCookie } from './session-cookie';
import { FarmerPageError } from './farmer-page-error';
import type { FarmerState } from './farmer-state';
import type { SecondTap } from './second-tap';

/**
 * Loads the cookie's session and its channel.
 * @param secondTap may answer instead, where the session has just ended
 * @throws FarmerPageError when either is gone
 */
export function findSession(
  { store, farmer }: Deps,
  secondTap?: SecondTap,
): Middleware<RequestState & FarmerState> {
  return async (ctx, next) => {
    await refreshHashKeys(store); // they may have been exchanged since the last request
    const token = readSessionCookie(ctx, farmer);
    const session = token && (await findFarmerSession(store, token));
    if (!session && token && (await secondTap?.(ctx, token))) return;
    if (!session) throw new FarmerPageError('over');
    const channel = await findChannel(store, session.link.channel);
    if (!channel) throw new FarmerPageError('gone');
    ctx.state.logged['channel'] = channel._id;
    Object.assign(ctx.state, { session, channel, form: new URLSearchParams(), switched: false });
    await next();
  };
}
