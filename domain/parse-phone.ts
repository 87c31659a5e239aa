import { legible } from './pasted-text';

const BETWEEN_DIGITS = /[\s().\-\u2010-\u2015\u2212/]/g;

/** A typed or pasted number without what people write between its digits: `+17015550142`. */
export const phoneDigits = (text: string): string =>
  legible(text).replace(/^tel:/i, '').replace(BETWEEN_DIGITS, '');

/** The ten digits of a typed number, or undefined. A leading `tel:`, +1 or 1 is accepted. */
export function parsePhone(text: string): string | undefined {
  const digits = phoneDigits(text).replace(/^\+?1(?=\d{10}$)/, '');
  return /^\d{10}$/.test(digits) ? digits : undefined;
}
