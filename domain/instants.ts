// RFC 3339: date, 'T', time, optional fraction, and an offset. Lower case 't'/'z' and leap seconds are refused:
// no calendar in JavaScript can hold them.
const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

// An offset can push the first and the last day out of the four-digit years that RFC 3339 can write.
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The instant an RFC 3339 text names, in milliseconds since 1970, or undefined when it is not one.
 * `new Date('2016-02-30')` is 1 March, so the day is checked against its month first (contract 1).
 */
export function parseInstant(text: string): number | undefined {
  const parts = RFC_3339.exec(text);
  if (!parts) return undefined;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  const instant = Date.parse(text);
  return instant >= EARLIEST && instant <= LATEST ? instant : undefined;
}

/** UTC with milliseconds and `Z`, as every instant leaves this service (contract 1). */
export function formatInstant(instant: number | Date): string {
  return new Date(instant).toISOString();
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
