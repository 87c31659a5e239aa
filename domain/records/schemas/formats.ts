import { parseInstant } from '../../time/instants';

/** A day as it is written, of the calendar or not. */
export const FULL_DATE = /^\d{4}-\d{2}-\d{2}$/;
const E_MAIL = /^[^\s@\p{Cc}]{1,64}@[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$/u;
const HTTP = /^https?:\/\//i;
const PHONE = /^\+[1-9][\d ().-]*$/;
const NOT_A_DIGIT = /\D/g;

/**
 * The `format`s of the record schemas. They are our own, so that days are checked against the calendar
 * (docs/contract.md A9).
 */
export const FORMATS: Record<string, (text: string) => boolean> = {
  'date-time': isInstant,
  'date-or-date-time': (text) => isInstant(FULL_DATE.test(text) ? `${text}T00:00:00Z` : text),
  'international-phone': (text) => text === '' || (isShort(text) && isInternationalPhone(text)),
  'email-or-empty': (text) => text === '' || (isShort(text) && E_MAIL.test(text)),
  'http-url-or-empty': (text) => text === '' || (isShort(text) && HTTP.test(text) && URL.canParse(text)),
  'semantic-version': (text) => /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/.test(text),
};

// The validator asks for the format of a text whose length it has refused, too.
const isShort = (text: string) => text.length <= 2_048;

function isInstant(text: string): boolean {
  return parseInstant(text) !== undefined;
}

/** Accepts `+1 701-555-0142`. E.164 allows 15 digits, and no country has numbers of fewer than 7 digits with its code. */
function isInternationalPhone(text: string): boolean {
  const digits = text.replace(NOT_A_DIGIT, '').length;
  return PHONE.test(text) && digits >= 7 && digits <= 15;
}
