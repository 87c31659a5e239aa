import { trimmed, whyUnseen } from './pasted-text';

/**
 * An origin that farmers may be sent back to: scheme, host and port only (docs/contract.md F12). https, and outside
 * production also http. @returns the origin as browsers write it; or the problem, to follow "the callback origin"
 */
export function checkCallbackOrigin(
  given: string,
  rules: { production: boolean },
): { origin: string } | { problem: string } {
  const text = trimmed(given);
  const unseen = whyUnseen(text);
  if (unseen) return { problem: unseen };
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
