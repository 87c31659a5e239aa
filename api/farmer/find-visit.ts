import type { Middleware } from 'koa';
import { findChannel } from '../../store/channels';
import { findFarmerSession } from '../../store/farmer-sessions';
import type { Deps, RequestState } from '../route';
import { readSessionCookie } from './session-cookie';
import { Trouble } from './trouble';
import type { Visit } from './visit';

/** The session of the cookie, and its channel as it is now. @throws Trouble when there is none any more */
export function findVisit({ store, farmer }: Deps): Middleware<RequestState & Visit> {
  return async (ctx, next) => {
    const token = readSessionCookie(ctx, farmer);
    const session = token && (await findFarmerSession(store, token));
    if (!session) throw new Trouble('over');
    const channel = await findChannel(store, session.link.channel);
    if (!channel) throw new Trouble('gone');
    ctx.state.logged['channel'] = channel._id;
    Object.assign(ctx.state, { session, channel, form: new URLSearchParams(), switched: false });
    await next();
  };
}
