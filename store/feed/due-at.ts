import { nextDue } from '../../domain/cadence';
import type { Channel } from './channels';

/** When a channel is due next; null while it is paused. */
export function dueAt(channel: Channel, now: number): Date | null {
  return channel.state === 'paused' ? null : new Date(nextDue(channel._id, channel.cadence_ms, now));
}
