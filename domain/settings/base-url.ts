import { count } from '../records/count';
import { deniedHost, type OutboundRule } from './denied-address';
import { trimmed, whyUnseen } from '../text/pasted-text';
import { withoutEndSlashes } from '../text/without-end-slashes';

// In characters. Browsers, proxies and logs cut longer addresses off.
const LONGEST_ADDRESS = 2_048;

/**
 * Whether pages may be posted to a URL: https, and outside production also http and loopback (docs/contract.md S3).
 * Checked when a channel is saved and again at every attempt, then together with the resolved addresses
 * (docs/decisions/0010).
 * @returns the URL as stored, without a trailing slash; or the problem, to follow "the base URL"
 */
export function checkBaseUrl(text: string, rule: OutboundRule): { baseUrl: string } | { problem: string } {
  const checked = checkUrl(text, rule);
  return 'problem' in checked ? checked : { baseUrl: checked.origin + withoutEndSlashes(checked.pathname) };
}

/** Like `checkBaseUrl`, for an address that is used unchanged. A slash at its end stays. */
export function checkNotifyUrl(
  text: string,
  rule: OutboundRule,
): { notifyUrl: string } | { problem: string } {
  const checked = checkUrl(text, rule);
  return 'problem' in checked ? checked : { notifyUrl: checked.href };
}

function checkUrl(given: string, rule: OutboundRule): URL | { problem: string } {
  const text = trimmed(given);
  const unreadable = whyUnreadable(text);
  if (unreadable) return { problem: unreadable };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return { problem: 'is not a URL: write it like https://acme.example' };
  if (url.protocol !== 'https:' && (rule.production || url.protocol !== 'http:')) {
    return {
      problem: `must begin with https://${rule.production ? '' : ' (or http:// outside production)'}`,
    };
  }
  if (url.username || url.password) return { problem: 'must not carry a user' };
  if (/[?#]/.test(text)) return { problem: 'must not have a query or a fragment' };
  const problem = deniedPort(url, rule) ?? deniedHost(url.hostname, rule);
  return problem ? { problem } : url;
}

function whyUnreadable(text: string): string | undefined {
  if (text.length > LONGEST_ADDRESS) return `is longer than ${count(LONGEST_ADDRESS, 'character')}`;
  return whyUnseen(text);
}

function deniedPort({ port }: URL, { production, outboundPorts }: OutboundRule): string | undefined {
  if (!production || outboundPorts.includes(Number(port || 443))) return undefined;
  return `must use port ${outboundPorts.join(' or ')}, not ${port || 443} (GDX_OUTBOUND_PORTS)`;
}

/**
 * An origin that farmers may be sent back to: scheme, host and port only (docs/contract.md F12). https, and outside
 * production also http. @returns the origin as browsers write it; or the problem, to follow "the callback origin"
 */
export function checkCallbackOrigin(
  given: string,
  rules: { production: boolean },
): { origin: string } | { problem: string } {
  const text = trimmed(given);
  const unreadable = whyUnreadable(text);
  if (unreadable) return { problem: unreadable };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'https:' && (rules.production || url.protocol !== 'http:'))) {
    return { problem: 'must be an https address like https://acme.example' };
  }
  if (url.username || url.password) return { problem: 'must not carry a user' };
  if (url.href !== `${url.origin}/` || /[?#]/.test(text)) {
    return { problem: `must be scheme, host and port only, like ${url.origin}` };
  }
  return { origin: url.origin };
}
