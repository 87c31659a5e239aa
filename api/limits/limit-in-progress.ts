import type { IncomingMessage } from 'node:http';
import type { Middleware, ParameterizedContext } from 'koa';
import { countedAddress } from '../http/caller-address';
import { rateLimited } from '../http/http-error';
import { addressKey, callerOf, type CallerState } from './rate-limit';
import type { Shares } from './shares';
import { whenSentOrGone } from './when-sent-or-gone';

const WAIT_MS = 1_000;

/** Whoever has no token yet has a share with all others of the address that the proxy forwards. */
export const limitAddressInProgress = (requests: Shares): Middleware =>
  limitInProgress(requests, (ctx) => addressKey(countedAddress(ctx)));

/**
 * 429 for a caller with too many requests in progress, before the body is read. The connection is closed, so that
 * slow senders cannot keep it: one caller must not use up the connections of all (docs/contract.md A13).
 */
export function limitInProgress(
  requests: Shares,
  ownerOf = ({ state }: ParameterizedContext<CallerState>): string => callerOf(state),
): Middleware<CallerState> {
  return (ctx, next) => {
    const caller = ownerOf(ctx);
    if (!requests.take(caller)) {
      ctx.set('Connection', 'close');
      throw rateLimited(WAIT_MS);
    }
    const giveBack = () => requests.giveBack(caller);
    if (ctx.state.held) {
      ctx.state.held.push(giveBack);
      return next();
    }
    const held = (ctx.state.held = [giveBack]);
    // The answer may come before the whole body has arrived; until then the connection is in use. A caller who hangs up leaves
    // work behind.
    let awaited = 2;
    const end = () => --awaited === 0 && held.forEach((each) => each());
    whenSentOrGone(ctx.res, () => whenReadOrGone(ctx.req, end));
    const answered = next();
    const ended = () => void Promise.resolve(ctx.state.ended).then(end);
    answered.then(ended, ended);
    return answered;
  };
}

/** Calls `then` once an answered request is read or its caller is gone, which Node reports only on the socket. */
function whenReadOrGone(req: IncomingMessage, then: () => void): void {
  const { socket } = req;
  if (req.complete || socket.destroyed) return then();
  const end = () => {
    req.off('end', end);
    socket.off('close', end);
    then();
  };
  req.once('end', end);
  socket.once('close', end);
}
