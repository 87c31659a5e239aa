import { isFailure, type AlertClass, type FailureStreak } from './alert-class';
import { formatCadence } from './cadence';

/** In the order in which an operator should look at them. */
export const HEALTHS = ['failing', 'paused', 'stale', 'healthy', 'closed'] as const;
export type HealthStatus = (typeof HEALTHS)[number];

/** What is the matter with a channel. Computed here alone: pages, alerts and `gdx doctor` say the same. */
export interface ChannelCondition {
  health: HealthStatus;
  /** Since when; null for a healthy channel. */
  since: Date | null;
  /** For an operator: the reason of a pause, the alert of a failure, or what a stale channel lacks. */
  message: string | null;
}

/** What a condition follows from: of the channel, */
interface Watched {
  _id: string;
  name: string;
  state: 'active' | 'paused' | 'closed';
  paused?: { reason: string; at: Date };
  closed?: { at: Date };
  failing?: Pick<FailureStreak, 'since'>;
  cadence_ms: number;
  delivery?: 'pull' | 'push';
  created_at: Date;
  /** Its last empty run, or delivery with a confirmed page. */
  fresh_at?: Date;
}

/** its open alerts, the oldest first, and the time of its last confirmed page. */
interface Known {
  alerts: { class: AlertClass; opened_at: Date; message: string }[];
  deliveredAt: Date | null;
}

export function channelCondition(
  channel: Watched,
  { alerts, deliveredAt }: Known,
  now: Date,
): ChannelCondition {
  const { state, paused, closed, failing, cadence_ms, created_at, fresh_at } = channel;
  if (state === 'closed') return { health: 'closed', since: closed?.at ?? null, message: null };
  if (state === 'paused')
    return { health: 'paused', since: paused?.at ?? null, message: paused?.reason ?? null };
  const failed = alerts.filter(({ class: kind }) => isFailure(kind));
  const [since] = datesOf([failing?.since, ...failed.map(({ opened_at }) => opened_at)]);
  if (since) return { health: 'failing', since, message: failed[0]?.message ?? null };
  const fresh = datesOf([created_at, fresh_at, deliveredAt]).at(-1)!;
  return now.getTime() - fresh.getTime() > staleAfter(cadence_ms)
    ? { health: 'stale', since: fresh, message: staleMessage(channel, fresh) }
    : { health: 'healthy', since: null, message: null };
}

/** The earliest first. */
const datesOf = (dates: (Date | null | undefined)[]) =>
  dates.flatMap((date) => date ?? []).sort((one, other) => one.getTime() - other.getTime());

// Otherwise one slow answer would make a channel with a cadence of seconds stale.
const MIN_MS = 60_000;

/** How long a channel may go without a confirmed page or an empty run: two cadences (docs/contract.md O6). */
export const staleAfter = (cadenceMs: number) => Math.max(2 * cadenceMs, MIN_MS);

function staleMessage({ _id: slug, name, cadence_ms, delivery }: Watched, freshAt: Date): string {
  const since = freshAt.toISOString().slice(0, 16).replace('T', ' ');
  if (delivery === 'pull')
    return `${name} has collected and confirmed nothing since ${since} UTC: ask whether its program runs, and see gdx deliveries ${slug}`;
  const every = formatCadence(cadence_ms);
  return `${name} has confirmed nothing, and no run was empty, since ${since} UTC, though a run is due every ${every}: see gdx deliveries ${slug}, and whether the worker runs`;
}

/** Sorted by urgency, then by duration. */
export function byUrgency<T extends Pick<ChannelCondition, 'health' | 'since'> & { slug: string }>(
  rows: T[],
): T[] {
  const rank = ({ health }: T) => HEALTHS.indexOf(health);
  const began = ({ since }: T) => since?.getTime() ?? 0;
  return [...rows].sort((a, b) => rank(a) - rank(b) || began(a) - began(b) || a.slug.localeCompare(b.slug));
}
