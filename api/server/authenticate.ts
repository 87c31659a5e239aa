import { timeNow } from '../../domain/time/elapsed';
import type { Middleware } from 'koa';
import { channelKeys } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import { refusedBy } from '../../domain/settings/access';
import { flawOfToken, hashToken } from '../../store/callers/tokens';
import { lookUpInTime } from '../http/answer-in-time';
import { HttpError, rateLimited } from '../http/http-error';
import { addressKey, type CallerState } from '../limits/rate-limit';
import type { createIntegrationFinder } from './kept-integrations';
import type { NoteUse } from './note-uses';
import type { SharedLimiter } from '../limits/shared-limiter';

interface Authenticating {
  store: Store;
  findIntegration: ReturnType<typeof createIntegrationFinder>;
  failures: SharedLimiter;
  noteUse: NoteUse;
}

const UNKNOWN = 'unknown, replaced or revoked';
// What was found of an ERP's token counts for so long, beside the time that it is kept (docs/contract.md A16).
const AGAIN_MS = 1_000;

/** Identifies the caller. Missing, malformed, unknown and wrong-kind tokens get the same 401 (docs/contract.md A4). */
export function authenticate(
  deps: Authenticating,
  caller: 'integration' | 'channel',
): Middleware<CallerState> {
  return async (ctx, next) => {
    const given = ctx.get('Authorization');
    const token = /^(?:Bearer[ \t]+)?([\x21-\x7e]+)$/i.exec(given)?.[1];
    const hash = token === undefined ? '' : hashToken(token);
    const none = given === '' ? 'no token' : 'not a token alone';
    let found = -Infinity;
    const lookUp = async () => {
      const refused = token === undefined ? none : await identify(deps, caller, { token, hash }, ctx);
      found = performance.now();
      if (!refused) return;
      // For the operator; the caller does not learn the reason.
      ctx.state.logged['refused'] = refused;
      throw refusal(await lookUpInTime(deps.failures.take(addressKey(ctx.ip))));
    };
    ctx.state.authenticate = () =>
      caller === 'integration' && performance.now() - found < AGAIN_MS ? undefined : lookUp();
    await ctx.state.authenticate();
    await next();
  };
}

/** After what may have taken long: a token may have been revoked since, or its channel paused (docs/contract.md A16). */
export const authenticateAgain: Middleware<CallerState> = (ctx, next) => {
  const again = ctx.state.authenticate?.();
  return again ? again.then(next) : next();
};

const noSuchChannel = () =>
  new HttpError('NOT_FOUND', 'Your key opens no channel of this name: check the name in the address.');

/** A channel's key opens only that channel. Other channels look as if they did not exist (docs/contract.md A4). */
export const ownChannelOnly: Middleware<CallerState, { params: Record<string, string> }> = async (
  ctx,
  next,
) => {
  if (ctx.state.channel?._id !== ctx.params['channel_slug']) throw noSuchChannel();
  await next();
};

/** @returns why the token opens nothing, or undefined when it does */
async function identify(
  { store, findIntegration, noteUse }: Authenticating,
  caller: 'integration' | 'channel',
  { token, hash }: { token: string; hash: string },
  { state, ip }: { state: CallerState; ip: string },
): Promise<string | undefined> {
  const integration = caller === 'integration' ? await lookUpInTime(findIntegration(token, hash)) : null;
  const channel = caller === 'channel' ? await lookUpInTime(channelKeys.find(store, token)) : null;
  const holder = integration ?? channel;
  if (!holder) return flawOfToken(token, caller === 'channel' ? 'channel' : 'erp', store) ?? UNKNOWN;
  const refused = refusedBy(integration?.access ?? channel?.key_access, ip, timeNow());
  if (refused) return refused;
  Object.assign(state, integration ? { integration } : { channel });
  state.logged[caller] = holder._id;
  noteUse(hash);
  return undefined;
}

// Only failures are counted, so that bad tokens never delay a good one from the same address.
function refusal(waitMs: number): HttpError {
  if (waitMs > 0) return rateLimited(waitMs);
  return new HttpError(
    'UNAUTHENTICATED',
    'A valid token is needed in the Authorization header, alone or after Bearer, and no other character.',
    { headers: { 'WWW-Authenticate': 'Bearer realm="grain-data-exchange"' } },
  );
}
