import { legible } from '../../domain/text/pasted-text';
import { parseInstant } from '../../domain/time/instants';
import { DAY_MS } from '../../domain/time/spans';
import { type FileCell, Moment } from './row';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Stands for the parts of a form, in messages. */
export const FORM_PARTS = 'YYYY YY CYY MM M MMM DD D DDD HH H hh h mm m ss SSS A Z X x';

const ZONES: Record<string, string> = {
  UTC: 'Z', GMT: 'Z', ADT: '-03:00', AST: '-04:00', EDT: '-04:00', EST: '-05:00', CDT: '-05:00', CST: '-06:00', MDT: '-06:00',
  MST: '-07:00', PDT: '-07:00', PST: '-08:00', AKDT: '-08:00', AKST: '-09:00', HST: '-10:00', CEST: '+02:00', CET: '+01:00',
}; // prettier-ignore

const TOKENS: Record<string, string> = {
  CYY: '(?<century>\\d)(?<year>\\d{2})',
  YYYY: '(?<year>\\d{4})',
  YY: '(?<year>\\d{2})',
  MMM: `(?<month>${MONTHS.join('|')})[a-z]*\\.?`,
  MM: '(?<month>\\d{1,2})',
  M: '(?<month>\\d{1,2})',
  DDD: '(?<ordinal>\\d{3})',
  DD: '(?<day>\\d{1,2})',
  D: '(?<day>\\d{1,2})',
  // Figures alone may have lost the zeros before them.
  HHmmss: '(?<clock6>\\d{1,6})',
  HHmm: '(?<clock4>\\d{1,4})',
  HH: '(?<hour>\\d{1,2})',
  H: '(?<hour>\\d{1,2})',
  hh: '(?<hour>\\d{1,2})',
  h: '(?<hour>\\d{1,2})',
  mm: '(?<minute>\\d{2})',
  m: '(?<minute>\\d{1,2})',
  ss: '(?<second>\\d{2})',
  SSS: '(?<fraction>\\d{1,9})',
  A: '(?<half>[ap])\\.?(?:m\\.?)?',
  Z: `(?<zone>Z|[+-]\\d{2}:?\\d{2}|${Object.keys(ZONES).join('|')})`,
  X: '(?<seconds>\\d{9,10})',
  x: '(?<milliseconds>\\d{12,13})',
};
const TOKEN = new RegExp(Object.keys(TOKENS).join('|'), 'g');
const TOKEN_OR_SIGN = new RegExp(`[.*+?^{}$()|[\\]\\\\]|${TOKEN.source}| +`, 'g');

/** A date that was read from text and checked against the calendar. Without a time it is a day. */
export interface ReadDate {
  day: string;
  /** `08:04:11.213` */
  time?: string;
  /** `-05:00` or `Z`, if the text has it. */
  offset?: string;
}

type DateForm = (text: string) => ReadDate | undefined;

const compiled = new Map<string, DateForm>();

/** Reads a date form such as `MM/DD/YYYY hh:mm A`; undefined when it is not one. */
export function dateForm(form: string): DateForm | undefined {
  const known = compiled.get(form);
  if (known) return known;
  const tokens = form.match(TOKEN) ?? [];
  const times = (token: RegExp) => tokens.filter((each) => token.test(each)).length;
  if (
    (times(/^X$/i) === 0
      ? times(/^C?Y/) !== 1 || times(/^D/) !== 1 || times(/^M/) !== (times(/^DDD/) === 1 ? 0 : 1)
      : tokens.length > 1) ||
    [/^h/i, /^m/, /^s/, /^S/, /^A/, /^Z/].some((other) => times(other) > 1) ||
    /[a-zA-Z]{2}/.test(form.replace(TOKEN, '').replace(/T/g, ' '))
  )
    return undefined;
  let last = -1;
  const source = form.replace(TOKEN_OR_SIGN, (part, at: number) => {
    const follows = at === last && last > 0;
    if (!Object.hasOwn(TOKENS, part)) return part.startsWith(' ') ? '\\s+' : `\\${part}`;
    last = at + part.length;
    // Parts without a separator always have their full width.
    const isTight = follows || /^(MM|DD|HH|hh|mm|ss)/.test(form.slice(last));
    return isTight ? TOKENS[part]!.replace(/\{1,(?=[246]\})/, '{') : TOKENS[part]!;
  });
  const shape = new RegExp(`^${source}$`, 'i');
  const read: DateForm = (text) => {
    const groups = shape.exec(text)?.groups;
    return groups && dateOf(groups as Record<string, string | undefined>);
  };
  compiled.set(form, read);
  return read;
}

const two = (value: number | string) => String(value).padStart(2, '0');

type Groups = Record<string, string | undefined>;

function dateOf(groups: Groups): ReadDate | undefined {
  const { year = '', seconds, milliseconds = seconds && `${seconds}000`, fraction, half, zone } = groups;
  if (milliseconds !== undefined) return dateAt(Number(milliseconds));
  const { century = Number(year) < 50 ? '1' : '0' } = groups;
  const full = year.length === 2 ? `${19 + Number(century)}${year}` : year;
  const date = `${full}-${monthAndDay(full, groups)}`;
  const [hour, minute = '00', second = '00'] = clockOf(groups);
  if (hour === undefined) return parseInstant(`${date}T00:00:00Z`) === undefined ? undefined : { day: date };
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return undefined;
  const of24 = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  const time = `${two(of24)}:${two(minute)}:${second}${fraction === undefined ? '' : `.${fraction}`}`;
  const offset =
    zone && (ZONES[zone.toUpperCase()] ?? zone.replace(/(\d\d):?(\d\d)$/, '$1:$2').toUpperCase());
  if (parseInstant(`${date}T${time}${offset ?? 'Z'}`) === undefined) return undefined;
  return { day: date, time, ...(offset && { offset }) };
}

function monthAndDay(year: string, { month = '', day = '', ordinal }: Groups): string {
  if (ordinal === undefined)
    return `${two(MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1 || month)}-${two(day)}`;
  const found = dateAt(Date.UTC(Number(year), 0, Number(ordinal))).day;
  return found.startsWith(year) ? found.slice(5) : '00-00';
}

const clockOf = ({ clock4, clock6, hour, minute, second }: Groups): (string | undefined)[] =>
  (clock6?.padStart(6, '0') ?? clock4?.padStart(4, '0'))?.match(/../g) ?? [hour, minute, second];

// A longer text is not a date and is not compared with any form.
const LONGEST_DATE = 100;
const NOTHING = /^[\s0:./-]*$/;
const ISO = /^(\d{4}-\d{2}-\d{2})(?:T(.+?)(Z|[+-]\d{2}:\d{2}))?$/;

// As .NET writes an instant, and milliseconds, which no other form has as many figures as.
const SINCE_1970 = /^\/Date\((-?\d{1,14})(?:[+-]\d{4})?\)\/$|^(\d{13})$/;

function dateAt(ms: number): ReadDate {
  const [day, time] = new Date(ms).toISOString().slice(0, -1).split('T') as [string, string];
  return { day, time, offset: 'Z' };
}

/** Reads RFC 3339, or only its date. */
function isoDate(text: string): ReadDate | undefined {
  const [, day, time, offset] = ISO.exec(text) ?? [];
  if (day === undefined || parseInstant(time === undefined ? `${day}T00:00:00Z` : text) === undefined)
    return undefined;
  return { day, ...(time !== undefined && { time }), ...(offset !== undefined && { offset }) };
}

/**
 * Reads a date by the first form that fits, otherwise as RFC 3339.
 * @returns null for a text that means no date, such as `00/00/0000`; undefined when no form fits
 */
export function readDate(
  text: string,
  forms: readonly string[],
): { date: ReadDate; fitsAnother: boolean } | null | undefined {
  const plain = legible(text);
  if (NOTHING.test(plain)) return null;
  if (plain.length > LONGEST_DATE) return undefined;
  const ms = SINCE_1970.exec(plain)
    ?.slice(1)
    .find((each) => each !== undefined);
  if (ms !== undefined) return { date: dateAt(Number(ms)), fitsAnother: false };
  const fits = forms.map((form) => dateForm(form)!(plain)).filter((date) => date !== undefined);
  const date = fits[0] ?? isoDate(plain);
  const said = (one: ReadDate) => `${one.day} ${one.time ?? ''}`;
  return date && { date, fitsAnother: fits.some((other) => said(other) !== said(date)) };
}

const DAYS = [
  'MM/DD/YYYY',
  'DD.MM.YYYY',
  'DD.MM.YY',
  'YYYY-MM-DD',
  'YYYY/MM/DD',
  'MM/DD/YY',
  'DD/MM/YYYY',
  'MM-DD-YYYY',
  'DD-MMM-YYYY',
  'DD-MMM-YY',
  'MMM D, YYYY',
  'D MMM YYYY',
  'YYYYMMDD',
];
const TIMES = [
  '',
  ' HH:mm',
  ' HH:mm:ss',
  ' HH:mm:ss.SSS',
  ' hh:mm A',
  ' hh:mm:ss A',
  'THH:mm',
  'THH:mm:ss',
  'THH:mm:ss.SSS',
  ' HHmm',
];

const FORMS = DAYS.flatMap((day) => TIMES.map((time) => day + time));

/** The forms by which all of the texts are dates, without those that read them alike. */
export function formsFor(texts: readonly string[]): string[] {
  const readings = new Map<string, string>();
  const plain = texts.map(legible);
  if (plain.some(({ length }) => length > LONGEST_DATE)) return [];
  for (const form of FORMS) {
    const read = plain.map((text) => dateForm(form)!(text));
    if (read.some((date) => date === undefined)) continue;
    const said = JSON.stringify(read);
    if (!readings.has(said)) readings.set(said, form);
  }
  return [...readings.values()];
}

/**
 * Converts a local time of a zone to RFC 3339. Of an hour that the clocks show twice the first counts. A day becomes
 * its first moment.
 * @returns undefined for an hour that the clocks skip
 */
export function instantOf({ day, time, offset }: ReadDate, timeZone: string): string | undefined {
  const clock = time ?? '00:00:00';
  if (offset !== undefined) return `${day}T${clock}${offset}`;
  const local = Date.parse(`${day}T${clock}Z`);
  // The offsets a day before and a day after are the only two possible ones.
  const [before, after] = [minutesAt(timeZone, local - DAY_MS), minutesAt(timeZone, local + DAY_MS)];
  const isShown = (minutes: number) => minutesAt(timeZone, local - minutes * 60_000) === minutes;
  const minutes = [before, after].find(isShown);
  if (minutes !== undefined) return `${day}T${clock}${sayOffset(minutes)}`;
  return time === undefined ? new Date(local - before * 60_000).toISOString() : undefined;
}

function sayOffset(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return minutes === 0 ? 'Z' : `${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();
/** The offsets of days without a clock change. Asking Intl for each date would take most of a file's time. */
const offsets = new Map<string, number | undefined>();

function minutesAt(timeZone: string, instant: number): number {
  const day = Math.floor(instant / DAY_MS);
  const key = `${timeZone} ${day}`;
  if (!offsets.has(key)) {
    const [begin, end] = [askMinutes(timeZone, day * DAY_MS), askMinutes(timeZone, (day + 1) * DAY_MS)];
    offsets.set(key, begin === end ? begin : undefined);
  }
  return offsets.get(key) ?? askMinutes(timeZone, instant);
}

function askMinutes(timeZone: string, instant: number): number {
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

export function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en-US', { timeZone: name }));
  } catch {
    return false;
  }
}

/**
 * Joins a day and a time from two cells of a workbook, where at least one is not text.
 * @returns the moment; undefined when they cannot be joined and are read as text
 */
export function joinedDate(cells: readonly FileCell[], forms: readonly string[], join: string): FileCell {
  const [day, time] = cells;
  if (cells.length !== 2 || !cells.some((cell) => cell instanceof Moment)) return undefined;
  if (day instanceof Moment && time instanceof Moment)
    return new Moment(day.ms - (day.ms % DAY_MS) + (time.ms % DAY_MS), 'both');
  for (const form of forms) {
    const at = form.search(/[Hh]/);
    if (at === -1) continue;
    const [ofDay, ofTime] = [form.slice(0, at).trim(), form.slice(at)];
    const mixed = day instanceof Moment ? `YYYY-MM-DD${join}${ofTime}` : `${ofDay}${join}HH:mm:ss`;
    const read = dateForm(mixed)?.(legible(`${String(day)}${join}${String(time)}`));
    if (read) return new Moment(Date.parse(`${read.day}T${read.time}Z`), 'both');
  }
  return undefined;
}
