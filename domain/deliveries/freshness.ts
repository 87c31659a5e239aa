import { formatCadence } from './cadence';

// Otherwise one slow answer would make a channel with a cadence of seconds stale.
const MIN_MS = 60_000;

/** How long a channel may go without a confirmed page or an empty run: two cadences (docs/contract.md O6). */
export const staleAfter = (cadenceMs: number) => Math.max(2 * cadenceMs, MIN_MS);

/** Whether a channel has gone longer than `staleAfter` without a confirmed page or an empty run. */
export function isStale(freshAt: Date, cadenceMs: number, now: Date): boolean {
  return now.getTime() - freshAt.getTime() > staleAfter(cadenceMs);
}

/** The alert message of a stale channel. */
export function staleMessage(
  channel: { _id: string; name: string; cadence_ms: number; delivery?: 'pull' | 'push' },
  freshAt: Date,
): string {
  const { _id: slug, name, cadence_ms, delivery } = channel;
  const since = freshAt.toISOString().slice(0, 16).replace('T', ' ');
  if (delivery === 'pull')
    return `${name} has collected and confirmed nothing since ${since} UTC: ask whether its program runs, and see gdx deliveries ${slug}`;
  const every = formatCadence(cadence_ms);
  return `${name} has confirmed nothing, and no run was empty, since ${since} UTC, though a run is due every ${every}: see gdx deliveries ${slug}, and whether the worker runs`;
}
