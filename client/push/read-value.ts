import { Big } from 'big.js';
import { legible } from '../../domain/text/pasted-text';
import { parsePhone } from '../../domain/text/parse-phone';
import type { FieldKind } from './field-kind';
import { FORM_PARTS, formsFor, instantOf, type ReadDate, readDate } from './read-dates';
import { BadCell, type FileCell, Moment, Percent } from './row';

/** How a file writes its values. */
export interface Habits {
  dates: readonly string[];
  time_zone?: string | undefined;
  numbers: { decimal_char: string; group_char: string; isPunched?: boolean };
  /** Where the mapping does not say the signs of numbers. */
  commas?: { areUnsure: boolean } | undefined;
  area_code?: string | undefined;
  multiply?: number | undefined;
}

/** The reason why a value cannot be read, to follow "3 of 412 values", and what to do. */
export class Unreadable {
  constructor(
    readonly problem: readonly [one: string, several: string],
    readonly advice: string,
    /** The value is passed over with a remark, and the file is pushed. */
    readonly isPassed = false,
  ) {}
}

/** A value that was read. `values` for a cell with several; `nothing` for a cell that means no value. */
export type ReadValue =
  | { value: unknown; fitsAnother?: boolean }
  | { values: unknown[] }
  | 'nothing'
  | Unreadable;

/** Reads a cell as a field of this kind. Its text is given, and its value if it comes from JSON or a workbook. */
export function readValue(kind: FieldKind, text: string, cell: FileCell, habits: Habits): ReadValue {
  if (cell instanceof BadCell)
    return new Unreadable(
      [cell.problem, `${cell.problem}, and others so`],
      'correct the workbook, or name by "missing_values" what is no value',
    );
  if (isError(text, cell)) return IS_ERROR;
  if (kind === 'any') return { value: typeof cell === 'string' || cell instanceof Moment ? text : cell };
  if (typeof cell === 'object' && !(cell instanceof Moment || cell instanceof Percent)) return NOT_ONE;
  switch (kind) {
    case 'number':
      return readNumber(text, cell, habits, false);
    case 'figure':
      return readNumber(text, cell, habits, true);
    case 'flag':
      return readFlag(text);
    case 'instant':
    case 'created':
    case 'day':
      return readMoment(kind, text, cell, habits);
    case 'phone':
      return readPhones(text, habits.area_code);
    case 'id':
      return isSpoilt(kind, text, cell) ? WAS_SHORTENED : { value: text };
    case 'year':
      return readYear(text);
    case 'text':
      return { value: text };
  }
}

const NOT_ONE = new Unreadable(
  ['is not one value', 'are not one value each'],
  'name one of its members: vehicle.plate, scopes[0].start, or use "each"',
);

const ERROR =
  /^(?:#(?:N\/A|NV|REF!|BEZUG!|VALUE!|WERT!|DIV\/0!|NAME\?|NULL!|NUM!|ZAHL!|SPILL!|CALC!)|Err:\d{3})$/i;
const isError = (text: string, cell: unknown) =>
  typeof cell === 'string' && (text.startsWith('#') || text.startsWith('Err:')) && ERROR.test(text);
const IS_ERROR = new Unreadable(
  ['is an error of a spreadsheet', 'are errors of a spreadsheet'],
  'correct the sheet, or name by "missing_values" what is no value',
);

// A long number becomes 1.2E+11, a number beside blank cells 417.0.
const SHORTENED = /^\d+(?:[.,]\d+)?E\+\d+$|^\d+[.,]0+$/i;
/** Whether a spreadsheet has made this of what was in the cell. */
export const isSpoilt = (kind: FieldKind, text: string, cell: unknown) =>
  isError(text, cell) || (kind === 'id' && SHORTENED.test(text));
const WAS_SHORTENED = new Unreadable(
  ['is a number that a spreadsheet has altered', 'are numbers that a spreadsheet has altered'],
  'export the column as text, or say by "pattern" which part of the cell is the id',
);

const YEAR = /^(?:CY|FY|Crop(?: Year)?)?\s*(?<first>\d{4}|\d{2})(?:\s*[-/]\s*(?<next>\d{4}|\d{2}))?$/i;
const [FIRST_YEAR, LAST_YEAR] = [1990, new Date().getFullYear() + 11];
// An account may be older than any ticket.
const FIRST_CREATED = 1950;
const isYear = (year: number) => year >= FIRST_YEAR && year <= LAST_YEAR;

/** Reads a crop year: `2026`, `26`, `26/27`, `2026-27`, `CY2026`. */
function readYear(text: string): ReadValue {
  const { first, next } = YEAR.exec(legible(text))?.groups ?? {};
  const year = Number(first) + (first?.length === 2 ? 2000 : 0);
  const isNext = next === undefined || Number(next) % 100 === (year + 1) % 100;
  if (first !== undefined && isNext && isYear(year)) return { value: String(year) };
  return new Unreadable(
    ['is not a crop year', 'are not crop years'],
    'say by "values" which years they are, or name by "missing_values" what is none',
  );
}

const YES = /^(true|t|yes|y|1|-1)$/i;
const NO = /^(false|f|no|n|0)$/i;

function readFlag(text: string): ReadValue {
  const plain = legible(text);
  if (YES.test(plain)) return { value: true };
  if (NO.test(plain)) return { value: false };
  return new Unreadable(
    ['is neither yes nor no', 'are neither yes nor no'],
    'say by "values" which are true and which are false',
  );
}

const BEFORE_FIGURES = /[$€£\s]/;
const BEHIND_FIGURES = /[$€£%\s]/;
const FIGURES = /^[-+(]?[\d.,'\s]+\)?[-%]?$/;
const looksLikeFigures = (text: string) => FIGURES.test(text) && /\d/.test(text);

/** Reads a number. @param isFigure other text is allowed, such as "musty" for an odor */
function readNumber(
  text: string,
  cell: FileCell,
  { numbers, commas, multiply }: Habits,
  isFigure: boolean,
): ReadValue {
  const plain = legible(text);
  if (commas?.areUnsure && THREE_BEHIND_A_COMMA.test(plain)) return IS_EITHER;
  const given = cell instanceof Percent ? cell.value : cell;
  const read = typeof given === 'number' ? given : decimalOf(plain, numbers);
  if (read !== undefined && Math.abs(multiply ?? 1) !== 1 && plain.endsWith('%')) return IS_PERCENT;
  if (read !== undefined)
    return { value: multiply === undefined ? read : new Big(String(read)).times(multiply).toFixed() };
  if (isFigure && !looksLikeFigures(plain)) return { value: text };
  const { decimal_char, group_char } = numbers;
  const punched = PUNCHED.test(plain)
    ? 'if the last sign is a figure and the sign of all, as in 12} for -120, say "numbers": { "sign": "punched" } in the source of this column; '
    : '';
  return new Unreadable(
    ['is not a number', 'are not numbers'],
    `${punched}the file's are read with "numbers": { "decimal_char": "${decimal_char}", "group_char": "${group_char}" }: say so if others are right, or name by "missing_values" what is no value`,
  );
}

const THREE_BEHIND_A_COMMA = /^[^\d,.]*\d{1,3},\d{3}[^\d,.]*$/;
const IS_EITHER = new Unreadable(
  ['has a comma that may be either sign', 'have a comma that may be either sign'],
  'in a file of semicolons say "numbers": { "decimal_char": "," }, or "." where 25,440 is 25440',
);

const IS_PERCENT = new Unreadable(
  ['is a percentage already', 'are percentages already'],
  'leave "multiply" out: 15.5 % is read as 15.5',
);

/** Removes currency signs. A regular expression would start again at each blank of a long row of them. */
function withoutCurrency(text: string): string {
  let [begin, end] = [0, text.length];
  while (begin < end && BEFORE_FIGURES.test(text.charAt(begin))) begin += 1;
  while (begin < end && BEHIND_FIGURES.test(text.charAt(end - 1))) end -= 1;
  return text.slice(begin, end);
}

/** Reads the sign: a minus before or after the figures, `CR` after them, or brackets around them. */
function signOf(text: string): { isNegative: boolean; figures: string } {
  if (text.startsWith('(') && text.endsWith(')')) return { isNegative: true, figures: text.slice(1, -1) };
  const [before = ''] = /^[-\u2212]/.exec(text) ?? [];
  const [behind = ''] = before ? [] : (/(?:-|CR)$/i.exec(text) ?? []);
  return {
    isNegative: before + behind !== '',
    figures: text.slice(before.length, text.length - behind.length),
  };
}

const BLANK = /\s/;
const PUNCHED = /^\d+[{}A-R]$/;
const [POSITIVE, NEGATIVE] = ['{ABCDEFGHI', '}JKLMNOPQR'];

/** Reads the last figure and the sign that are punched into one sign: `12}` is -120. */
function withoutPunch(text: string): string {
  const [rest, last] = [text.slice(0, -1), text.slice(-1)];
  if (POSITIVE.includes(last)) return rest + POSITIVE.indexOf(last);
  return NEGATIVE.includes(last) ? `-${rest}${NEGATIVE.indexOf(last)}` : text;
}

/** Reads a decimal with the file's separators. @returns it in the service's form */
function decimalOf(
  text: string,
  { decimal_char, group_char, isPunched }: Habits['numbers'],
): string | undefined {
  const { isNegative, figures } = signOf(withoutCurrency(isPunched ? withoutPunch(text) : text));
  const bare = withoutCurrency(figures).replace(/^\+/, '');
  const [whole = '', fraction, ...more] = bare.split(decimal_char);
  const groups = whole.split(BLANK.test(whole) ? BLANK : group_char);
  const isGrouped =
    groups.length === 1
      ? /^\d*$/.test(whole)
      : /^\d{1,3}$/.test(groups[0]!) && groups.slice(1).every((group) => /^\d{3}$/.test(group));
  if (
    more.length > 0 ||
    !isGrouped ||
    (fraction !== undefined && !/^\d+$/.test(fraction)) ||
    (whole === '' && fraction === undefined)
  )
    return undefined;
  return `${isNegative ? '-' : ''}${groups.join('') || '0'}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** A date of a workbook as one that was read from text without a zone. */
const partsOf = (moment: Moment): ReadDate => {
  const [day, time] = moment.parts();
  return { day, ...((moment.shows === 'both' || time !== '00:00:00.000') && { time }) };
};

function readMoment(
  kind: 'instant' | 'created' | 'day',
  text: string,
  cell: FileCell,
  { dates, time_zone }: Habits,
): ReadValue {
  if (cell instanceof Moment && cell.shows === 'time') return notDate(text, dates);
  const read = cell instanceof Moment ? { date: partsOf(cell), fitsAnother: false } : readDate(text, dates);
  if (read === null) return 'nothing';
  if (read === undefined) return notDate(text, dates);
  const { date, fitsAnother } = read;
  if (isFar(kind, date.day)) return FAR_YEAR;
  // A business date is the day in the cell, whatever time follows it.
  if (kind === 'day')
    return {
      value: date.offset === undefined ? date.day : `${date.day}T${date.time}${date.offset}`,
      fitsAnother,
    };
  if (date.offset === undefined && time_zone === undefined)
    return new Unreadable(
      ['says no offset', 'say no offset'],
      'say "time_zone" in the mapping, such as "America/Chicago"',
    );
  const instant = instantOf(date, time_zone ?? 'UTC');
  if (instant !== undefined) return { value: instant, fitsAnother };
  return new Unreadable(
    [
      `is a time that the clocks of ${time_zone} leave out`,
      `are times that the clocks of ${time_zone} leave out`,
    ],
    'correct them, or say the right "time_zone"',
  );
}

/** Whether a date is of no year that a record can be of. */
export function isFar(kind: FieldKind, date: string): boolean {
  const year = Number(date.slice(0, 4));
  return !isYear(year) && !(kind === 'created' && year >= FIRST_CREATED && year < FIRST_YEAR);
}

export const FAR_YEAR = new Unreadable(
  [`is of no year from ${FIRST_YEAR} to ${LAST_YEAR}`, `are of no year from ${FIRST_YEAR} to ${LAST_YEAR}`],
  'correct them, or name by "missing_values" what is no date',
);

function notDate(text: string, forms: readonly string[]): Unreadable {
  const [fits] = formsFor([text]);
  const advice = fits ? `${JSON.stringify(fits)} would fit the first` : `its parts are ${FORM_PARTS}`;
  const said = forms.length > 0 ? `by "dates" ${JSON.stringify(forms)}` : 'as the mapping has no "dates"';
  return new Unreadable(
    [`is not a date ${said}`, `are not dates ${said}`],
    `give "dates" all forms of the file: ${advice}; or name by "missing_values" what is no date`,
  );
}

// A longer text is not a phone and is not searched for an extension.
const LONGEST_PHONE = 100;
const EXTENSION = /[\s,;/]*\b(?:x|ext\.?|extension)\s*\.?\s*\d*\s*$/i;
const BETWEEN = /[/,;]/;

// The farmer's page is not opened by what may be somebody else's phone.
const NAMED_PHONE = /\d.{0,4}\d{3}.{0,4}\d{4}.*[a-z]|[a-z].*\d{3}.{0,4}\d{4}/i;
const NOT_ONE_PHONE = new Unreadable(
  ['has words beside a phone and is left out', 'have words beside a phone and are left out'],
  'the account keeps the phones that it has; "pattern" can say which part of the cell is its own',
  true,
);

/** Reads the phones of a cell. Each becomes ten digits. */
function readPhones(text: string, areaCode: string | undefined): ReadValue {
  const whole = onePhone(text, areaCode);
  const parts = whole === undefined ? text.split(BETWEEN).map((part) => onePhone(part, areaCode)) : [whole];
  const found = parts.filter((part) => part !== '');
  if (found.length === 0) return 'nothing';
  if (!found.includes(undefined)) return { values: found };
  if (text.length <= LONGEST_PHONE && NAMED_PHONE.test(text)) return NOT_ONE_PHONE;
  const seven = areaCode === undefined ? ', or "phones": { "area_code": "701" } for those of seven' : '';
  return new Unreadable(
    ['is not a phone of ten digits', 'are not phones of ten digits'],
    `name by "missing_values" what is no phone${seven}`,
  );
}

/** Reads one phone. @returns '' when there is none, undefined for a text that is not a phone */
function onePhone(text: string, areaCode: string | undefined): string | undefined {
  if (text === '') return '';
  const given = legible(text);
  const plain =
    given.length > LONGEST_PHONE ? given : given.replace(/(\d)(?=x\d)/i, '$1 ').replace(EXTENSION, '');
  const digits = plain.replace(/\D/g, '');
  if (/^0*$/.test(digits) && !/[a-z]/i.test(plain)) return '';
  return (
    parsePhone(plain) ??
    (areaCode !== undefined && /^\d{7}$/.test(digits) && /^[\d\s().-]+$/.test(plain)
      ? areaCode + digits
      : undefined)
  );
}
