import { DAY_MS } from '../time/spans';

/** The longest time that a farmer can agree to at once. */
const LONGEST_GRANT_YEARS = 7;

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/**
 * The end of a grant with this last day, `2027-11-22`: midnight UTC after it. It is still that day everywhere in
 * America, so nothing is shared longer than was agreed.
 * @returns undefined for a text that is not a day of the calendar
 */
export function grantEndOf(day: string): Date | undefined {
  const [, year, month, date] = DAY.exec(day) ?? [];
  if (!year) return undefined;
  const begin = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)));
  return begin.toISOString().startsWith(day) ? new Date(begin.getTime() + DAY_MS) : undefined;
}

/** The last day of a grant with this end. */
export const lastDayOf = (end: Date): string => dayOf(new Date(end.getTime() - DAY_MS));

/**
 * The time zone in which each day ends last. It stands for an unknown zone, so that no farmer's day is taken for past
 * too early.
 */
const LAST_ZONE = 'Etc/GMT+12';

export interface EndDays {
  today: string;
  /** The earliest and the latest day that can be chosen. */
  first: string;
  last: string;
}

/**
 * The days that a farmer can choose: tomorrow to seven years from now in their time zone. Of several zones the one with
 * the earliest date counts.
 */
export function endDays(now: Date, zones: readonly (string | undefined)[]): EndDays {
  const days = zones.map((zone) => dayInZone(now, zone)).sort();
  const today = new Date(`${days[0] ?? dayInZone(now, undefined)}T00:00:00Z`);
  const last = new Date(today);
  last.setUTCFullYear(last.getUTCFullYear() + LONGEST_GRANT_YEARS);
  return { today: dayOf(today), first: dayOf(new Date(today.getTime() + DAY_MS)), last: dayOf(last) };
}

/** The reason why a day cannot be the last day of a grant; undefined when it can. */
export function whyNoEnd(
  day: string,
  { first, last }: Omit<EndDays, 'today'>,
): 'malformed' | 'past' | 'far' | undefined {
  if (!grantEndOf(day)) return 'malformed';
  if (day < first) return 'past';
  return day > last ? 'far' : undefined;
}

// By time zone. To make one takes 90 µs, which a farmer of ten thousand accounts would wait for.
const formats = new Map<string, Intl.DateTimeFormat>();

/** The Swedish format is `2027-11-22`. */
function formatIn(timeZone: string): Intl.DateTimeFormat {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone });
  formats.set(timeZone, format);
  return format;
}

export const dayOf = (at: Date) => at.toISOString().slice(0, 10);

/** The day in the time zone of a company; where that is unknown, the earliest day that it is anywhere. */
export const dayInZone = (at: Date, zone: string | undefined) => formatIn(zone ?? LAST_ZONE).format(at);

/** The number of whole years between two times by the calendar in UTC; negative when `now` is earlier. */
export function yearsSince(from: Date, now: Date): number {
  const years = now.getUTCFullYear() - from.getUTCFullYear();
  const anniversary = new Date(from);
  anniversary.setUTCFullYear(from.getUTCFullYear() + years);
  return anniversary.getTime() <= now.getTime() ? years : years - 1;
}
