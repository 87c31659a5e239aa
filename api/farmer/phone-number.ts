import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

export function formatPhone(phone: string): string {
  return phone.replace(/^(\d{3})(\d{3})(\d{4})$/, '$1-$2-$3');
}

/** The last two digits: the only part of a number that is shown, or stored with a consent. */
export const endingOf = (phone: string) => phone.slice(-2);

// The types of numbers that farmers have, unlike premium or toll-free ones. Outside the US and Canada the type is
// unknown.
const TYPES = ['FIXED_LINE', 'MOBILE', 'FIXED_LINE_OR_MOBILE', undefined];
// 211 to 911 are service codes, never an area or an exchange.
const SERVICE_CODE = /^(?:\d{3})?\d11/;

const FORMED = /^[2-9]\d{2}[2-9]\d{6}$/;

/**
 * Judges a number of ten digits in these countries (docs/decisions/0019). `unheard`: it looks like a number, but the
 * library does not know its area, as new ones open every year. An account must list such a number before a code is
 * sent.
 */
export function whosePhone(
  phone: string,
  countries: readonly string[],
): 'a farmer’s' | 'unheard' | 'nobody’s' {
  const number = parsePhoneNumberFromString(`+1${phone}`);
  if (!FORMED.test(phone) || SERVICE_CODE.test(phone)) return 'nobody’s';
  if (!number?.isValid()) return 'unheard';
  const isTheirs = countries.includes(number.country ?? '') && TYPES.includes(number.getType());
  return isTheirs ? 'a farmer’s' : 'nobody’s';
}
