import * as ipaddr from 'ipaddr.js';
import { isInside } from './denied-address';

/** What a token is bound to, beside being the right one (docs/contract.md A15). */
export interface Access {
  /** From then on no token opens anything. */
  expires_at?: Date | null;
  /** CIDRs; none means any address. */
  addresses?: string[];
}

/** Why access is refused; undefined where it is not. */
export function refusedBy(
  { expires_at, addresses = [] }: Access = {},
  ip: string,
  now: Date,
): string | undefined {
  if (expires_at && expires_at <= now) return 'expired';
  if (addresses.length === 0) return undefined;
  const isKnown = ipaddr.isValid(ip) && addresses.some((cidr) => isInside(ipaddr.process(ip), cidr));
  return isKnown ? undefined : 'not from this address';
}
