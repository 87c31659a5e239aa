// RFC 3339: date, 'T', time, optional fraction, and an offset. Lower case 't' and 'z' are refused, and so are leap
// seconds, which JavaScript dates cannot represent.
const RFC_3339 =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

// An offset can move the first and the last day out of the four-digit years of RFC 3339.
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The instant of an RFC 3339 text in milliseconds since 1970, or undefined when it is not one. `new
 * Date('2016-02-30')` is 1 March, so the day is checked against its month first (docs/contract.md A9).
 */
export function parseInstant(text: string): number | undefined {
  if (!RFC_3339.test(text)) return undefined;
  const day = Number(text.slice(8, 10));
  if (day > 28 && day > daysInMonth(Number(text.slice(0, 4)), Number(text.slice(5, 7)))) return undefined;
  const instant = Date.parse(text);
  return instant >= EARLIEST && instant <= LATEST ? instant : undefined;
}

/** UTC with milliseconds and `Z`, the format of every instant in our responses (docs/contract.md A9). */
export function formatInstant(instant: number | Date | string): string {
  return new Date(instant).toISOString();
}

/** "2026-11-21 10:05:30", UTC: short enough for a cell of a table */
export function dateAndTime(instant: number | Date | string): string {
  return formatInstant(instant).slice(0, 19).replace('T', ' ');
}

/** "10:05:30", UTC */
export function timeOfDay(instant: number | Date | string): string {
  return formatInstant(instant).slice(11, 19);
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
