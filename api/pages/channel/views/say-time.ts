const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** `23 s`, `7 min`, `3 h` or `2 d`: in the largest unit that gives at least two. */
export function sayLength(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms >= 2 * one) ?? (['s', 1_000] as const);
  const count = ms / size;
  return `${unit === 's' && count < 10 ? Math.round(count * 10) / 10 : Math.floor(count)}\u00a0${unit}`;
}

export const sayDistance = (ms: number) =>
  Math.abs(ms) < 1_000 ? 'now' : ms > 0 ? `in ${sayLength(ms)}` : `${sayLength(-ms)} ago`;

/** `13:22:10` today, `25 Nov 13:22` on another day; UTC. It does not break, so that a line may break behind it. */
export function sayInstant(at: Date, now: Date): string {
  const iso = at.toISOString();
  if (iso.slice(0, 10) === now.toISOString().slice(0, 10)) return iso.slice(11, 19);
  const month = at.toLocaleString('en-US', { month: 'short', timeZone: 'UTC' });
  const year = at.getUTCFullYear() === now.getUTCFullYear() ? '' : ` ${at.getUTCFullYear()}`;
  return `${at.getUTCDate()} ${month}${year} ${iso.slice(11, 16)}`.replaceAll(' ', '\u00a0');
}
