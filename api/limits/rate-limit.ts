import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Middleware, ParameterizedContext } from 'koa';
import { MINUTE_MS } from '../../domain/time/spans';
import type { Channel } from '../../store/channels/channels';
import type { Integration } from '../../store/callers/integrations';
import { lookUpInTime } from '../http/answer-in-time';
import { rateLimited } from '../http/http-error';
import type { RequestState } from '../http/route';
import { MAX_KEYS, type SharedLimiter } from './shared-limiter';

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Counts in fixed windows, in this process only, by a clock that never steps. */
export function createRateLimiter(perMinute: number, clock = () => performance.now()) {
  let counts = new Map<string, number>();
  let ends = 0;
  return {
    /** Counts one more. @returns 0, or the milliseconds to wait when it was one too many */
    take(key: string): number {
      const now = clock();
      if (now >= ends || counts.size >= MAX_KEYS) {
        counts = new Map();
        ends = now + MINUTE_MS;
      }
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count <= perMinute ? 0 : Math.max(1, Math.round(ends - now));
    },
  };
}

const IPV6_PREFIX_BYTES = 8;

/** The key by which an address is counted: of IPv6 the first 64 bits, which usually belong to one caller. */
export function addressKey(ip: string): string {
  if (isIPv4(ip) || !ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  const bytes = address.toByteArray();
  return bytes.length === 4 ? address.toString() : bytes.slice(0, IPV6_PREFIX_BYTES).join('.');
}

/** 429 for an address that asks too often, before anything is looked up for it. */
export function limitAddress(
  requests: RateLimiter,
  addressOf = (ctx: ParameterizedContext): string => ctx.ip,
): Middleware {
  return (ctx, next) => {
    const waitMs = requests.take(addressKey(addressOf(ctx)));
    if (waitMs > 0) throw rateLimited(waitMs);
    return next();
  };
}

export type CallerState = RequestState & { integration?: Integration; channel?: Channel };

/** The caller whose limits a request counts towards. */
export const callerOf = ({ integration, channel }: CallerState): string =>
  integration ? `integration/${integration._id}` : `channel/${channel?._id}`;

/**
 * 429 for a caller that asks too often.
 * @param weight as how many requests one counts
 */
export function limitRequests(requests: SharedLimiter, weight: number): Middleware<CallerState> {
  const refuse = async (waits: number | Promise<number>) => {
    const waitMs = await lookUpInTime(waits);
    if (waitMs > 0) throw rateLimited(waitMs);
  };
  return (ctx, next) => {
    let counted = 0;
    ctx.state.charge = (weighs) => {
      const more = Math.ceil(weighs) - counted;
      if (more <= 0) return undefined;
      counted += more;
      const waits = requests.take(callerOf(ctx.state), more);
      return waits === 0 ? undefined : refuse(waits);
    };
    const charged = ctx.state.charge(weight);
    return charged ? charged.then(next) : next();
  };
}
