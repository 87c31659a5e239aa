import * as ipaddr from 'ipaddr.js';

export interface BaseUrlRules {
  production: boolean;
  /** CIDRs that are not public and yet allowed; empty in production. */
  outboundAllow: string[];
}

/**
 * Whether a customer's base URL can be kept: https, and outside production also http and loopback (contract 8).
 * A name is not resolved here: where it leads is checked at every attempt (delivery, "Connecting").
 * @returns the URL as it is kept, without a slash at its end; or the problem, to follow "the base URL"
 */
export function checkBaseUrl(text: string, rules: BaseUrlRules): { baseUrl: string } | { problem: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return { problem: 'is not a URL: write it like https://acme.example' };
  if (url.protocol !== 'https:' && (rules.production || url.protocol !== 'http:')) {
    return {
      problem: `must begin with https://${rules.production ? '' : ' (or http:// outside production)'}`,
    };
  }
  if (url.username || url.password)
    return { problem: 'must not carry a user: give the key with --authorization' };
  if (/[?#]/.test(text)) return { problem: 'must not have a query or a fragment: /feed is added at its end' };
  const hostProblem = checkHost(url.hostname, rules);
  if (hostProblem) return { problem: hostProblem };
  return { baseUrl: url.origin + url.pathname.replace(/\/+$/, '') };
}

function checkHost(host: string, rules: BaseUrlRules): string | undefined {
  const kind = kindOfHost(host, rules.outboundAllow);
  if (kind === 'public' || (kind === 'loopback' && !rules.production)) return undefined;
  if (kind === 'loopback') return 'must not point to this machine in production';
  return `points to ${host}, which is not a public address`;
}

function kindOfHost(host: string, allowed: string[]): 'public' | 'loopback' | 'other' {
  if (/^(.+\.)?localhost\.?$/.test(host)) return 'loopback';
  const literal = host.replace(/^\[|\]$/g, '');
  if (!ipaddr.isValid(literal)) return 'public'; // a name
  const address = ipaddr.process(literal); // ::ffff:10.0.0.1 is 10.0.0.1
  const range = address.range();
  if (range === 'loopback') return 'loopback';
  const inside = (cidr: string) => {
    const [network, bits] = ipaddr.parseCIDR(cidr);
    return network.kind() === address.kind() && address.match(network, bits);
  };
  return range === 'unicast' || allowed.some(inside) ? 'public' : 'other';
}
