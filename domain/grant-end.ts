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

/** The days that a farmer can choose: tomorrow to seven years from now. */
export function endDays(now: Date): { first: string; last: string } {
  const last = new Date(now);
  last.setUTCFullYear(last.getUTCFullYear() + LONGEST_GRANT_YEARS);
  return { first: dayOf(new Date(now.getTime() + DAY_MS)), last: dayOf(last) };
}

/** Why this cannot be the last day of a grant. */
export function whyNoEnd(day: string, now: Date): 'malformed' | 'past' | 'far' | undefined {
  if (!grantEndOf(day)) return 'malformed';
  const { first, last } = endDays(now);
  if (day < first) return 'past';
  return day > last ? 'far' : undefined;
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10);

/** How many whole years have passed, by the calendar in UTC; negative before. */
export function yearsSince(from: Date, now: Date): number {
  const years = now.getUTCFullYear() - from.getUTCFullYear();
  const anniversary = new Date(from);
  anniversary.setUTCFullYear(from.getUTCFullYear() + years);
  return anniversary.getTime() <= now.getTime() ? years : years - 1;
}
