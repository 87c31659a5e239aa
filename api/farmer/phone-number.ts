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

/** Whether a number of ten digits can be a farmer's, in one of these countries (docs/decisions/0019). */
export function isFarmersPhone(phone: string, countries: readonly string[]): boolean {
  const number = parsePhoneNumberFromString(`+1${phone}`);
  if (!number?.isValid() || SERVICE_CODE.test(phone)) return false;
  return countries.includes(number.country ?? '') && TYPES.includes(number.getType());
}
