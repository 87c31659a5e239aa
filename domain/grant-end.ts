import { DAY_MS } from './spans';

/** The most that a farmer can agree to at once. */
const LONGEST_GRANT_YEARS = 7;

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/**
 * When a grant ends whose last day is this one, `2027-11-22`: with that day in UTC. Everywhere in America the day is not
 * over then, so that nothing is shared longer than was agreed.
 * @returns undefined for what is not a day of the calendar
 */
export function grantEndOf(day: string): Date | undefined {
  const [, year, month, date] = DAY.exec(day) ?? [];
  if (!year) return undefined;
  const begin = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)));
  return begin.toISOString().startsWith(day) ? new Date(begin.getTime() + DAY_MS) : undefined;
}

/** The last day of a grant. */
export const lastDayOf = (end: Date): string => dayOf(new Date(end.getTime() - DAY_MS));

/** Where a day ends last: whoever lives in a zone that nobody has named has not passed a day before it is over there. */
const LAST_ZONE = 'Etc/GMT+12';

export interface EndDays {
  today: string;
  /** The earliest that can be chosen, and the latest. */
  first: string;
  last: string;
}

/**
 * The days that a farmer can choose: tomorrow to seven years from now, where they live. Of several zones that one where it is
 * still the earliest day.
 */
export function endDays(now: Date, zones: readonly (string | undefined)[]): EndDays {
  const days = zones.map((zone) => dayIn(zone ?? LAST_ZONE, now)).sort();
  const today = new Date(`${days[0] ?? dayIn(LAST_ZONE, now)}T00:00:00Z`);
  const last = new Date(today);
  last.setUTCFullYear(last.getUTCFullYear() + LONGEST_GRANT_YEARS);
  return { today: dayOf(today), first: dayOf(new Date(today.getTime() + DAY_MS)), last: dayOf(last) };
}

/** Why this cannot be the last day of a grant. */
export function whyNoEnd(
  day: string,
  { first, last }: Omit<EndDays, 'today'>,
): 'malformed' | 'past' | 'far' | undefined {
  if (!grantEndOf(day)) return 'malformed';
  if (day < first) return 'past';
  return day > last ? 'far' : undefined;
}

/** The day on which it is that time in a zone, `2027-11-22`: as Sweden writes it. */
const dayIn = (timeZone: string, at: Date) => new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at);

export const dayOf = (at: Date) => at.toISOString().slice(0, 10);

/** How many whole years have passed, by the calendar in UTC; negative before. */
export function yearsSince(from: Date, now: Date): number {
  const years = now.getUTCFullYear() - from.getUTCFullYear();
  const anniversary = new Date(from);
  anniversary.setUTCFullYear(from.getUTCFullYear() + years);
  return anniversary.getTime() <= now.getTime() ? years : years - 1;
}
