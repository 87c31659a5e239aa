import { formatCadence } from './cadence';

// Below this, a channel of a few seconds' cadence would be called stale by one slow answer.
const LEAST_MS = 60_000;

/** How long a channel may go without a confirmed page or an empty run: two cadences (delivery). */
export const staleAfter = (cadenceMs: number) => Math.max(2 * cadenceMs, LEAST_MS);

/** Whether nothing came out of a channel for longer than that. */
export function isStale(freshAt: Date, cadenceMs: number, now: Date): boolean {
  return now.getTime() - freshAt.getTime() > staleAfter(cadenceMs);
}

/** What is said of a stale channel; the workflow that should have run it may be the one that is stuck. */
export function staleMessage(
  channel: { _id: string; name: string; cadence_ms: number },
  freshAt: Date,
): string {
  const { _id: slug, name, cadence_ms } = channel;
  const since = freshAt.toISOString().slice(0, 16).replace('T', ' ');
  const every = formatCadence(cadence_ms);
  return `${name} has confirmed nothing, and no run was empty, since ${since} UTC, though a run is due every ${every}: see gdx deliveries ${slug}, and whether the worker runs`;
}
