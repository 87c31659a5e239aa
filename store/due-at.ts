import { nextDue } from '../domain/cadence';
import type { Channel } from './channels';

/** When a channel runs next; null while it is paused. A customer may have asked for more time (design 4). */
export function dueAt(channel: Channel, now: number): Date | null {
  if (channel.state === 'paused') return null;
  const due = nextDue(channel._id, channel.cadence_ms, now);
  return new Date(Math.max(due, channel.not_before?.getTime() ?? 0));
}
