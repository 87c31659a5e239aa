import type { Middleware } from 'koa';
import type { Channel } from '../store/channels';
import { findChannelByKey } from '../store/channels';
import type { Store } from '../store/connect';
import { findIntegrationByToken, type Integration } from '../store/integrations';
import { lookUpInTime } from './answer-in-time';
import { HttpError, notFound, rateLimited } from './http-error';
import { addressKey, type RateLimiter } from './rate-limit';
import type { RequestState } from './route';

type State = RequestState & { integration?: Integration; channel?: Channel };

/** Finds who calls. A missing, malformed, unknown token and one of the wrong kind get the same 401 (contract 1). */
export function authenticate(
  store: Store,
  caller: 'integration' | 'channel',
  failures: RateLimiter,
): Middleware<State> {
  return async (ctx, next) => {
    const token = /^(?:Bearer +)?([\x21-\x7e]+)$/i.exec(ctx.get('Authorization'))?.[1];
    const find = caller === 'integration' ? asIntegration : asChannel;
    await lookUpInTime(find(store, token, ctx.state));
    if (!ctx.state.integration && !ctx.state.channel) throw refusal(failures.take(addressKey(ctx.ip)));
    await next();
  };
}

/** A channel's key opens that channel only; another one's looks like one that does not exist (contract 1). */
export const ownChannelOnly: Middleware<State, { params: Record<string, string> }> = async (ctx, next) => {
  if (ctx.state.channel?._id !== ctx.params['channel_slug']) throw notFound();
  await next();
};

async function asIntegration(store: Store, token: string | undefined, state: State): Promise<void> {
  const integration = token && (await findIntegrationByToken(store, token));
  if (!integration) return;
  state.integration = integration;
  state.logged['integration'] = integration._id;
}

async function asChannel(store: Store, token: string | undefined, state: State): Promise<void> {
  const channel = token && (await findChannelByKey(store, token));
  if (!channel) return;
  state.channel = channel;
  state.logged['channel'] = channel._id;
}

// A good token is never made to wait for the bad ones from its address: only the bad ones are counted.
function refusal(waitMs: number): HttpError {
  if (waitMs > 0) return rateLimited(waitMs);
  return new HttpError('UNAUTHENTICATED', 'A valid token is needed in the Authorization header.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="grain-data-exchange"' },
  });
}
