import { createHmac, timingSafeEqual } from 'node:crypto';

/** The five parameters of a farmer's link, in the order in which they are signed: all required (docs/contract.md F1). */
export const LINK_PARTS = ['callback_url', 'display_name', 'partner_id', 'partner_slug', 'phone'] as const;

export type LinkPart = (typeof LINK_PARTS)[number];

/** The decoded values of a link that its signature covers; `expires` is a Unix time in seconds. */
export type SignedValues = Record<LinkPart | 'expires', string>;

// Clocks may be five minutes apart.
const TOLERANCE_S = 5 * 60;

/**
 * The signature of a link: HMAC-SHA256 in hex, keyed by the text of the key (docs/decisions/0020).
 * @returns undefined where a value holds a line feed, which would make two links look the same
 */
export function signLink(key: string, values: SignedValues): string | undefined {
  const parts = [...LINK_PARTS.map((part) => values[part]), values.expires];
  if (parts.some((part) => part.includes('\n'))) return undefined;
  return createHmac('sha256', key)
    .update(['gdx-link-v1', ...parts].join('\n'))
    .digest('hex');
}

/** The reason why a link is refused, or undefined. `over`: it is genuine and has expired. */
export function whyRefused(
  keys: string[],
  values: SignedValues,
  signature: string,
  nowMs: number,
): 'unsigned' | 'over' | undefined {
  const given = Buffer.from(signature.toLowerCase());
  const fits = keys.some((key) => {
    const expected = Buffer.from(signLink(key, values) ?? '');
    return expected.length > 0 && expected.length === given.length && timingSafeEqual(expected, given);
  });
  if (!fits || !/^\d{1,12}$/.test(values.expires)) return 'unsigned';
  return Number(values.expires) + TOLERANCE_S < nowMs / 1_000 ? 'over' : undefined;
}
