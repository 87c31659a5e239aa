import type { Middleware } from 'koa';
import { type Channel, findChannel } from '../../store/channels/channels';
import { refreshHashKeys } from '../../store/secrets/hash-key';
import { type FarmerSession, findFarmerSession } from '../../store/sessions/farmer-sessions';
import type { Store } from '../../store/store';
import type { RequestState } from '../http/route';
import { goTo } from '../pages/answer-page';
import { readSessionCookie } from './session-cookie';
import { FarmerPageError } from './farmer-page-error';
import type { FarmerDeps, SessionState } from './farmer-state';
import { SHARING } from './paths';
import type { SecondTap } from './second-tap';

/**
 * Loads the cookie's session, and its channel for the steps behind a customer's link.
 * @param secondTap may answer when the session has just ended
 * @throws FarmerPageError when session or channel is gone
 */
export function findSession(
  { store, farmer }: FarmerDeps,
  caller: 'farmer' | 'sharer',
  secondTap?: SecondTap,
): Middleware<RequestState & SessionState> {
  return async (ctx, next) => {
    await refreshHashKeys(store); // the keys may have been replaced since the last request
    const token = readSessionCookie(ctx, farmer);
    const session = token && (await findFarmerSession(store, token));
    if (!session && token && (await secondTap?.(ctx, token))) return;
    if (!session) throw new FarmerPageError('over', caller === 'sharer' ? { back: SHARING.entry } : {});
    // A code names its purpose. A code from a customer's link opens nothing here, and a code from here opens no link.
    if (caller === 'sharer' && session.link && !session.verified) return goTo(ctx, SHARING.entry);
    const channel = caller === 'farmer' ? await channelOf(store, session) : undefined;
    if (channel) ctx.state.logged['channel'] = channel._id;
    Object.assign(ctx.state, { session, channel, form: new URLSearchParams(), switched: false });
    await next();
  };
}

async function channelOf(store: Store, { link }: FarmerSession): Promise<Channel> {
  if (!link) throw new FarmerPageError('over');
  const channel = await findChannel(store, link.channel);
  if (!channel) throw new FarmerPageError('gone');
  return channel;
}
