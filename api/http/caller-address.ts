import ipaddr from 'ipaddr.js';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';

const IN_BRACKETS = /^\[([\da-f:.]+)\](?::\d+)?$/i;
const WITH_PORT = /^(\d+(?:\.\d+){3}):\d+$/;

/**
 * Removes the port and the brackets of IPv6 that some proxies write in X-Forwarded-For, so that a caller
 * stays the same.
 */
const withoutPort = (ip: string) => IN_BRACKETS.exec(ip)?.[1] ?? WITH_PORT.exec(ip)?.[1] ?? ip;

/** Normalizes the caller's address, and warns once of a proxy that `GDX_TRUSTED_PROXIES` does not count. */
export function callerAddress(log: Logger): Middleware {
  let isSaid = false;
  return (ctx, next) => {
    ctx.request.ip = withoutPort(ctx.request.ip);
    if (!isSaid && !ctx.app.proxy && isForwarded(ctx)) {
      isSaid = true;
      log.warn('requests come through a proxy, and GDX_TRUSTED_PROXIES is 0: all callers are one address');
    }
    return next();
  };
}

/** Whether the headers say that a proxy has forwarded the request. */
export const isForwarded = ({ headers }: Pick<ParameterizedContext, 'headers'>): boolean =>
  FORWARDING.some((name) => headers[name]);

const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * The address that the limits of farmers' visits and codes count. Behind a proxy that `GDX_TRUSTED_PROXIES`
 * does not count, all callers would share the proxy's address. If that proxy is in our network, the last
 * address in X-Forwarded-For counts instead. Not for other uses, as it may be forged.
 */
export function countedAddress(ctx: Pick<ParameterizedContext, 'get' | 'ip' | 'app'>): string {
  const forwarded = ctx.get('X-Forwarded-For');
  if (forwarded === '' || ctx.app.proxy || !isOwnNetwork(ctx.ip)) return ctx.ip;
  const last = withoutPort(forwarded.split(',').at(-1)!.trim());
  return ipaddr.isValid(last) ? last : ctx.ip;
}

// Public callers may also have addresses that are not plain unicast: through 6to4, Teredo, NAT64 or a
// carrier's NAT.
const OWN_RANGES = new Set(['private', 'loopback', 'linkLocal', 'uniqueLocal']);
const isOwnNetwork = (ip: string) => ipaddr.isValid(ip) && OWN_RANGES.has(ipaddr.process(ip).range());
