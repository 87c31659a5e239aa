import { formatCadence, nextDue } from '../domain/cadence';
import type { Channel } from '../store/channels';

/** A channel as `gdx` shows it: all but its secrets. */
export function showChannel(channel: Channel, now: number) {
  return {
    slug: channel._id,
    name: channel.name,
    contact: channel.contact ?? null,
    state: channel.state,
    paused: channel.paused ?? null,
    base_url: channel.base_url,
    scope: channel.scope,
    entity_types: channel.entity_types,
    companies: channel.companies,
    cadence: formatCadence(channel.cadence_ms),
    page_size: channel.page_size,
    has_authorization: channel.authorization !== undefined,
    callback_origins: channel.callback_origins,
    runs: channel.run,
    next_due: channel.state === 'paused' ? null : dueAt(channel, now),
    created_at: channel.created_at,
  };
}

function dueAt(channel: Channel, now: number): Date {
  const due = nextDue(channel._id, channel.cadence_ms, now);
  return new Date(Math.max(due, channel.not_before?.getTime() ?? 0));
}
