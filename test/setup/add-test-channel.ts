import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { addChannel, type ChannelSettings } from '../../store/channels/channels';
import type { SentSecrets } from '../../store/channels/sent-secrets';
import type { Store } from '../../store/store';

/** A channel for everything, with what a test cares about. */
export async function addTestChannel(
  store: Store,
  slug: string,
  baseUrl: string,
  settings: Partial<ChannelSettings> & SentSecrets = {},
): ReturnType<typeof addChannel> {
  return addChannel(store, slug, {
    name: 'Acme Crop Insurance',
    base_url: baseUrl,
    scope: 'all',
    entity_types: [...ENTITY_TYPES],
    companies: [],
    cadence_ms: 3_600_000,
    page_size: 1000,
    callback_origins: [],
    ...settings,
  });
}
