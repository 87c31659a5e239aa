import { isFailure } from '../../domain/deliveries/alert-class';
import { isStale } from '../../domain/deliveries/freshness';
import type { Alert } from '../../store/alerts/alerts';
import { freshest } from '../../store/deliveries/channel-health';
import type { Channel } from '../../store/channels/channels';

/** In the order in which an operator should look at them. */
export const HEALTHS = ['failing', 'paused', 'stale', 'healthy', 'closed'] as const;
export type HealthStatus = (typeof HEALTHS)[number];

export interface HealthSince {
  health: HealthStatus;
  /** Since when; null for a healthy channel. */
  since: Date | null;
}

/** A channel's health, derived from stored state. `deliveredAt` is the time of its last confirmed page. */
export function healthOf(
  channel: Channel,
  alerts: Alert[],
  deliveredAt: Date | null,
  now: Date,
): HealthSince {
  const { state, paused, closed, failing, cadence_ms } = channel;
  if (state === 'closed') return { health: 'closed', since: closed?.at ?? null };
  if (state === 'paused') return { health: 'paused', since: paused?.at ?? null };
  const failed = alerts.filter(({ class: kind }) => isFailure(kind)).map(({ opened_at }) => opened_at);
  const since = [failing?.since, ...failed].flatMap((date) => date ?? []).sort((a, b) => +a - +b);
  if (since[0]) return { health: 'failing', since: since[0] };
  const fresh = freshest(channel, deliveredAt);
  if (isStale(fresh, cadence_ms, now)) return { health: 'stale', since: fresh };
  return { health: 'healthy', since: null };
}

/** Sorted by urgency, then by duration. */
export function byUrgency<T extends HealthSince & { slug: string }>(rows: T[]): T[] {
  const rank = ({ health }: HealthSince) => HEALTHS.indexOf(health);
  const began = ({ since }: HealthSince) => since?.getTime() ?? 0;
  return [...rows].sort((a, b) => rank(a) - rank(b) || began(a) - began(b) || a.slug.localeCompare(b.slug));
}
