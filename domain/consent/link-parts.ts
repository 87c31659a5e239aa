import { plain } from '../text/masked';

const LONGEST = { url: 2048, name: 80, partnerId: 128 };
const CONTROL = /\p{Cc}/u;

/**
 * Reads a callback URL; undefined unless its origin is allowed. It compares the origin that a browser would open, and
 * not the beginning of the text (docs/contract.md F12).
 */
export function callbackUrl(text: string, origins: readonly string[]): string | undefined {
  const url = wellFormedUrl(text);
  return url && origins.includes(new URL(url).origin) ? url : undefined;
}

export function wellFormedUrl(text: string): string | undefined {
  if (text.length > LONGEST.url || !/^https?:\/\/[^/\\]/i.test(text) || /[\s\\\p{Cc}]/u.test(text)) {
    return undefined;
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && !url.username && !url.password ? text : undefined;
}

export function displayName(text: string): string | undefined {
  const cleaned = plain(text).replace(/\s+/g, ' ');
  return Array.from(cleaned).slice(0, LONGEST.name).join('').trim() || undefined;
}

/**
 * Reads a partner_id of 1 to 128 characters; undefined for other text, control characters and invalid UTF-8.
 * Invalid bytes would all be decoded to the same character, and two farmers must never be confused.
 */
export function partnerId(text: string): string | undefined {
  const { length } = Array.from(text);
  const fits = length >= 1 && length <= LONGEST.partnerId;
  return fits && !CONTROL.test(text) && !text.includes('\ufffd') ? text : undefined;
}
