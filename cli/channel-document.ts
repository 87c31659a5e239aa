import { formatCadence } from '../domain/deliveries/cadence';
import { type Channel, dueAt, liveSigning, pageSizeOf } from '../store/channels/channels';
import { keyFacts } from './token-options';

/** A channel as `gdx` prints it, without its secrets. */
export function channelDocument(channel: Channel, now: number) {
  return {
    slug: channel._id,
    name: channel.name,
    contact: channel.contact ?? null,
    purpose: channel.purpose ? Object.entries(channel.purpose).map((said) => said.join('=')) : null,
    passes_on: channel.passes_on ?? null,
    end_required: channel.end_required ?? false,
    state: channel.state,
    paused: channel.paused ?? null,
    failing: channel.failing ?? null,
    delivery: channel.delivery ?? 'push',
    base_url: channel.base_url || null,
    notify_url: channel.notify_url || null,
    scope: channel.scope,
    entity_types: channel.entity_types,
    companies: channel.companies,
    cadence: formatCadence(channel.cadence_ms),
    page_size: channel.page_size,
    page_size_now: pageSizeOf(channel, now),
    gzip: channel.gzip ?? false,
    has_authorization: channel.authorization !== undefined,
    headers: (channel.headers ?? []).map(({ name }) => name),
    public_keys: liveSigning(channel, new Date(now)).map(({ pair }) => pair.public_key),
    callback_origins: channel.callback_origins,
    runs: channel.run,
    next_due: dueAt(channel, now),
    created_at: channel.created_at,
    ...keyFacts(channel),
  };
}
