import * as ipaddr from 'ipaddr.js';

/** Where pages may go (docs/decisions/0010, docs/contract.md S3). */
export interface OutboundRule {
  production: boolean;
  /** Non-public CIDRs that are allowed; empty in production. */
  outboundAllow: string[];
  /** The ports allowed in production. */
  outboundPorts: number[];
}

// Cloud providers' services that hand out credentials. They are denied even where their range is allowed.
const METADATA = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '169.254.42.42',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
];

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const NAMES: Record<string, string> = {
  private: 'a private',
  uniqueLocal: 'a private',
  loopback: 'a loopback',
  linkLocal: 'a link-local',
  carrierGradeNat: 'a carrier-grade NAT',
  unspecified: 'an unspecified',
  broadcast: 'a broadcast',
  multicast: 'a multicast',
};
// All public IPv6 addresses; not `::10.0.0.1` and the like.
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
const SIX_TO_FOUR = ipaddr.IPv6.parseCIDR('2002::/16');

/**
 * Why an address is denied: the one rule for saving, resolving and connecting.
 * @returns undefined, or what completes "the base URL ...": "points to 10.0.0.5, a private address: ..."
 */
export function deniedAddress(text: string, rule: OutboundRule): string | undefined {
  if (!ipaddr.isValid(text)) return `points to ${text}, which is not an address`;
  const address = ipaddr.process(text); // ::ffff:10.0.0.1 is 10.0.0.1
  if (isMetadata(carriedAddress(address)))
    return `points to ${text}, a cloud metadata address: customer URLs must be public`;
  if (rule.outboundAllow.some((cidr) => isInside(address, cidr))) return undefined;
  if (address.range() === 'loopback' && !rule.production) return undefined;
  const range = publicRange(carriedAddress(address));
  if (range === 'unicast') return undefined;
  return `points to ${text}, ${NAMES[range] ?? 'a reserved'} address: customer URLs must be public`;
}

/**
 * Removes the address from such a sentence, for customers: they must not learn which addresses our network resolves a
 * name to.
 */
export const withoutAddress = (sentence: string) =>
  sentence.replace(/\bpoints to \S+, (?=an? [\w -]+ address)/, 'points to ');

/**
 * Like `deniedAddress`, for the host of a URL as `URL` writes it. Names other than `localhost` are checked when they
 * are resolved.
 */
export function deniedHost(host: string, rule: OutboundRule): string | undefined {
  if (/^(.+\.)?localhost\.?$/i.test(host)) {
    return rule.production ? `points to ${host}, this machine: customer URLs must be public` : undefined;
  }
  const literal = host.replace(/[[\]]/g, '');
  return ipaddr.isValid(literal) ? deniedAddress(literal, rule) : undefined;
}

const isMetadata = (address: Address) =>
  METADATA.some((one) => ipaddr.parse(one).toNormalizedString() === address.toNormalizedString());

/**
 * Whether it is a CIDR that means what it seems to: not `10/8`, which would be 0.0.0.10/8, nor `010.1.2.3/32`, which would be 8.1.2.3,
 * nor IPv4 in IPv6, in which no address is, as `isInside` is asked for the IPv4 address.
 */
export const isCidr = (text: string): boolean =>
  ipaddr.IPv4.isValidCIDRFourPartDecimal(text) ||
  (ipaddr.IPv6.isValidCIDR(text) && !ipaddr.IPv6.parseCIDR(text)[0].isIPv4MappedAddress());

export function isInside(address: Address, cidr: string): boolean {
  const [network, bits] = ipaddr.parseCIDR(cidr);
  return network.kind() === address.kind() && address.match(network, bits);
}

/** The IPv4 address that an IPv6 address embeds: NAT64 at its end, 6to4 after its prefix. */
function carriedAddress(address: Address): Address {
  if (address instanceof ipaddr.IPv4) return address;
  const bytes = address.toByteArray();
  if (address.match(NAT64)) return new ipaddr.IPv4(bytes.slice(12));
  if (address.match(SIX_TO_FOUR)) return new ipaddr.IPv4(bytes.slice(2, 6));
  return address;
}

function publicRange(address: Address): string {
  const range = address.range();
  const outside = address instanceof ipaddr.IPv6 && !address.match(GLOBAL_IPV6);
  return range === 'unicast' && outside ? 'reserved' : range;
}
