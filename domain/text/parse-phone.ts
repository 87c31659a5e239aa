import { legible } from './pasted-text';

const LONGEST = 64;
const BETWEEN_DIGITS = /[\s().\-\u2010-\u2015\u2212/]/g;

/** A typed or pasted number without separators: `+17015550142`. */
export const phoneDigits = (text: string): string =>
  legible(text).replace(/^tel:/i, '').replace(BETWEEN_DIGITS, '');

/** The ten digits of a typed number, or undefined. A leading `tel:`, +1 or 1 is accepted. */
export const parsePhone = (text: string): string | undefined => digitsOfPhone(text)?.slice(-10);

/**
 * The digits of a typed number, with a leading 1 if it has one; undefined for any other text, for a number with an
 * extension, and for more than 64 characters.
 */
export function digitsOfPhone(text: string): string | undefined {
  if (text.length > LONGEST) return undefined;
  const digits = phoneDigits(text).replace(/^\+(?=1\d{10}$)/, '');
  return /^1?\d{10}$/.test(digits) ? digits : undefined;
}
