/** How many whole years have passed, by the calendar in UTC; negative before. */
export function yearsSince(from: Date, now: Date): number {
  const years = now.getUTCFullYear() - from.getUTCFullYear();
  const anniversary = new Date(from);
  anniversary.setUTCFullYear(from.getUTCFullYear() + years);
  return anniversary.getTime() <= now.getTime() ? years : years - 1;
}
