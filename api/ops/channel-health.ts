import { isStale } from '../../domain/freshness';
import type { Alert } from '../../store/alerts';
import { freshest } from '../../store/channel-trouble';
import type { Channel } from '../../store/channels';

/** In the order in which an operator should look at them. */
export const HEALTHS = ['failing', 'paused', 'stale', 'healthy'] as const;
export type Health = (typeof HEALTHS)[number];

export interface ChannelHealth {
  health: Health;
  /** Since when; null where all is well. */
  since: Date | null;
}

/** How a channel is, by what is kept of it; `deliveredAt` is its last confirmed page. */
export function healthOf(
  channel: Channel,
  alerts: Alert[],
  deliveredAt: Date | null,
  now: Date,
): ChannelHealth {
  const { state, paused, failing, cadence_ms } = channel;
  if (state === 'paused') return { health: 'paused', since: paused?.at ?? null };
  const failed = alerts.filter(({ class: kind }) => kind !== 'stale').map(({ opened_at }) => opened_at);
  const since = [failing?.since, ...failed].flatMap((date) => date ?? []).sort((a, b) => +a - +b);
  if (since[0]) return { health: 'failing', since: since[0] };
  const fresh = freshest(channel, deliveredAt);
  if (isStale(fresh, cadence_ms, now)) return { health: 'stale', since: fresh };
  return { health: 'healthy', since: null };
}

/** Those that need somebody first, of these the longest first. */
export function byUrgency<T extends ChannelHealth & { slug: string }>(rows: T[]): T[] {
  const rank = ({ health }: ChannelHealth) => HEALTHS.indexOf(health);
  const began = ({ since }: ChannelHealth) => since?.getTime() ?? 0;
  return [...rows].sort((a, b) => rank(a) - rank(b) || began(a) - began(b) || a.slug.localeCompare(b.slug));
}
