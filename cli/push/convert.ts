import type { TSchema } from '@sinclair/typebox';
import { phoneDigits } from '../../domain/parse-phone';
import { legible } from '../../domain/pasted-text';
import type { Mapping } from './mapping';

type Convert = (text: string) => unknown;

const GROUPED = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/;
const YES = /^(true|t|yes|y|1)$/i;
const NO = /^(false|f|no|n|0)$/i;

/**
 * How a cell's text becomes the value of a field: as the field's schema wants it, where that is plain. What it cannot
 * read it leaves, and the schema says what is wrong with it.
 */
export function converter(
  schema: TSchema | undefined,
  mapping: Pick<Mapping, 'dates' | 'time_zone'>,
): Convert {
  const { format, pattern, type } = (schema ?? {}) as { format?: string; pattern?: string; type?: string[] };
  if (type?.includes('boolean'))
    return plainly((text) => (YES.test(text) ? true : NO.test(text) ? false : text));
  if (type?.includes('number') && pattern) return plainly(decimal);
  if (pattern === '^\\d{1,20}$') return (text) => phoneDigits(text).replaceAll('+', '');
  if (format?.includes('date') && mapping.dates) {
    return plainly(dateReader(mapping.dates, mapping.time_zone, { day: format === 'date-or-date-time' }));
  }
  return (text) => text;
}

/** What is not text for people is read without what they cannot see, as between time and AM. */
const plainly =
  (convert: Convert): Convert =>
  (text) =>
    convert(legible(text));

/** `1,234.50` as `1234.50`, and `.5` as `0.5`. */
function decimal(text: string): string {
  const plain = GROUPED.test(text) ? text.replaceAll(',', '') : text;
  return plain.replace(/^(-?)\./, '$10.');
}

const PARTS: Record<string, string> = {
  YYYY: '(?<year>\\d{4})',
  MM: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{1,2})',
  HH: '(?<hour>\\d{1,2})',
  hh: '(?<hour>\\d{1,2})',
  mm: '(?<minute>\\d{2})',
  ss: '(?<second>\\d{2})',
  A: '(?<half>[AaPp])[Mm]?',
};

const TOKEN = /YYYY|MM|DD|HH|hh|mm|ss|A/g;

/**
 * Reads dates as an export writes them: `MM/DD/YYYY hh:mm A`. Hours are of the time zone, which without one is UTC.
 * @returns RFC 3339, or the date alone where the field takes one and the pattern has no hour; the text as it is when it does not fit
 */
export function dateReader(
  pattern: string,
  timeZone = 'UTC',
  takes: { day: boolean } = { day: false },
): (text: string) => string {
  const escaped = pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const shape = new RegExp(`^${escaped.replace(TOKEN, (token) => PARTS[token]!)}$`);
  const hasHour = /HH|hh/.test(pattern);
  return (text) => {
    const {
      year,
      month,
      day,
      hour = '0',
      minute = '00',
      second = '00',
      half,
    } = shape.exec(text)?.groups ?? {};
    if (year === undefined || month === undefined || day === undefined) return text;
    const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    if (takes.day && !hasHour) return date;
    const time = `${hourOf(Number(hour), half)}:${minute}:${second}`;
    return `${date}T${time}${offsetAt(`${date}T${time}Z`, timeZone)}`;
  };
}

function hourOf(hour: number, half: string | undefined): string {
  const of24 = half === undefined ? hour : (hour % 12) + (/p/i.test(half) ? 12 : 0);
  return String(of24).padStart(2, '0');
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The offset of a zone when its clocks show this, such as `-05:00`; of an hour that they show twice, the earlier one's. */
function offsetAt(local: string, timeZone: string): string {
  const shown = Date.parse(local);
  if (Number.isNaN(shown)) return 'Z'; // the schema will say that there is no such date
  // A day earlier its offset is surely one of the two that are possible.
  const before = shown - minutesOf(timeZone, shown - 24 * 3_600_000) * 60_000;
  const isStill = minutesOf(timeZone, before) === minutesOf(timeZone, shown - 24 * 3_600_000);
  const minutes = isStill ? minutesOf(timeZone, before) : minutesOf(timeZone, shown + 24 * 3_600_000);
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const digits = (value: number) => String(value).padStart(2, '0');
  return minutes === 0 ? 'Z' : `${minutes < 0 ? '-' : '+'}${digits(hours)}:${digits(rest)}`;
}

function minutesOf(timeZone: string, instant: number): number {
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
