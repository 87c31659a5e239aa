import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

export function formatPhone(phone: string): string {
  return phone.replace(/^(\d{3})(\d{3})(\d{4})$/, '$1-$2-$3');
}

/** The only part of a number that is shown, or stored with a consent. */
export const endingOf = (phone: string) => phone.slice(-2);

// A farmer has neither a premium nor a toll-free number. Of countries beside the US and Canada the type is not known.
const TYPES = ['FIXED_LINE', 'MOBILE', 'FIXED_LINE_OR_MOBILE', undefined];
// 211 to 911 are services: neither an area nor an exchange.
const SERVICE_CODE = /^(?:\d{3})?\d11/;

const FORMED = /^[2-9]\d{2}[2-9]\d{6}$/;

/**
 * Whose a number of ten digits can be, in one of these countries (docs/decisions/0019). `unheard`: it is formed like a number,
 * in an area that the library does not know, as new ones open every year; then an account has to carry it.
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
