import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/spans';

const WEEK_MS = 7 * DAY_MS;
const KEPT_MS = 8 * DAY_MS;

/** Shorter pauses are part of one export: an ERP that is restarted is not silent. */
const LEAST_MS = 5 * MINUTE_MS;

/** A pause between two pushes of an integration. */
export interface PushGap {
  from: Date;
  ms: number;
}

/** Adds a gap to those of the last eight days. Of the gaps that begin in the same hour only the longest is kept. */
export function learnGap(gaps: readonly PushGap[], from: Date, to: Date): PushGap[] {
  const added = { from, ms: to.getTime() - from.getTime() };
  const rivals = gaps.filter((gap) => hourOf(gap.from) === hourOf(from));
  if (rivals.some(({ ms }) => ms >= added.ms)) return [...gaps];
  const others = gaps.filter((gap) => !rivals.includes(gap));
  return [...others, added].filter((gap) => to.getTime() - endOf(gap) < KEPT_MS);
}

/**
 * The usual pause of an integration at this time: the longest gap within an hour of the same time yesterday and a week
 * ago. So a night or a weekend is not a silence.
 * @returns milliseconds; undefined until a day of pushes is known
 */
export function usualInterval(gaps: readonly PushGap[], at: Date): number | undefined {
  const found = [DAY_MS, WEEK_MS].flatMap((back) => {
    const then = at.getTime() - back;
    return gaps.filter((gap) => gap.from.getTime() < then + HOUR_MS && endOf(gap) > then - HOUR_MS);
  });
  return found.length === 0 ? undefined : Math.max(LEAST_MS, ...found.map(({ ms }) => ms));
}

/** When an integration becomes silent: twice its usual interval after its last push (docs/contract.md O24). */
export const silentFrom = (at: Date, usualMs: number) => new Date(at.getTime() + 2 * usualMs);

/** Writes an interval as 15m, 14h or 3d. */
export function sayInterval(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `${hours}h` : `${Math.round(hours / 24)}d`;
}

const hourOf = (at: Date) => Math.floor(at.getTime() / HOUR_MS);
const endOf = ({ from, ms }: PushGap) => from.getTime() + ms;
