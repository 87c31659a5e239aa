import { LANGUAGES } from '../text/language';
import { legible } from '../text/pasted-text';

const LONGEST = 40;
const BY_NUMBERS = /^(\d{1,2})[\s/.-]+(\d{1,2})[\s/.-]+(\d{4}|\d{2})$/;
const MONTH_FIRST = /^(\p{L}{3,})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/u;
const DAY_FIRST = /^(\d{1,2})\.?(?:st|nd|rd|th|o)? (?:de )?(\p{L}{3,})\.?,? (?:de |del )?(\d{4})$/u;

/** The names of the twelve months, in each language. */
const MONTHS = LANGUAGES.map((language) => {
  const { format } = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, month) => format(new Date(Date.UTC(2027, month, 15))).toLowerCase());
});

/**
 * A day as `2027-12-31`, where somebody has typed it in a form that the pages name: `12/31/2027`, month first in both languages,
 * `December 31, 2027` or `31 de diciembre de 2027`. Anything else stays as it is.
 */
export function readTypedDay(typed: string): string {
  const given = legible(typed.slice(0, LONGEST));
  const text = given.toLowerCase().replace(/\s+/g, ' ');
  const [, ofMonth = '', ofDay = '', ofYear = ''] = BY_NUMBERS.exec(text) ?? [];
  if (ofYear) return dayFrom(ofYear.length === 2 ? `20${ofYear}` : ofYear, ofMonth, ofDay);
  const [, month, day, year] = MONTH_FIRST.exec(text) ?? swapped(DAY_FIRST.exec(text)) ?? [];
  const named = month === undefined ? 0 : monthNamed(month);
  return named === 0 ? given : dayFrom(year!, String(named), day!);
}

const swapped = (found: RegExpExecArray | null) => found && [found[0], found[2], found[1], found[3]];

/** From its first three letters on. @returns 0 where there is none */
function monthNamed(name: string): number {
  for (const months of MONTHS) {
    const index = months.findIndex((month) => month.startsWith(name));
    if (index >= 0) return index + 1;
  }
  return 0;
}

const dayFrom = (year: string, month: string, day: string) =>
  `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
