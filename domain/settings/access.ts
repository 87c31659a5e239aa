import * as ipaddr from 'ipaddr.js';
import { isInside } from './denied-address';

/** The limits of a token beyond its value: an end and addresses (docs/contract.md A15). */
export interface Access {
  /** From this time on the token is refused. */
  expires_at?: Date | null;
  /** The CIDRs from which the token is accepted. An empty list accepts every address. */
  addresses?: string[];
}

/** The reason of a refusal; undefined when access is allowed. */
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
