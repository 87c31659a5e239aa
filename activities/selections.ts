import type { ClientSession } from 'mongodb';
import type { EntityType } from '../domain/entity-types';
import type { Channel } from '../store/feed/channels';
import type { Store } from '../store/store';
import { readSelection, type Selection } from '../store/feed/selection';

/** Which records a channel gets, as of the `shares_version` that the channel was read with. */
export type Selections = (channel: Channel, type: EntityType, session: ClientSession) => Promise<Selection>;

/** Caches every channel's shared accounts until its `shares_version` changes (docs/architecture.md#sharing). */
export function createSelections(store: Store): Selections {
  const cache = new Map<string, { version: number; selection: Selection }>();
  return async (channel, type, session) => {
    const { _id: slug, shares_version: version, companies } = channel;
    if (channel.scope === 'all') return { companies, shared: undefined };
    const key = `${slug}/${type}`;
    const known = cache.get(key);
    if (known?.version === version) return { ...known.selection, companies };
    const selection = await readSelection(store, channel, type, session);
    cache.set(key, { version, selection });
    return selection;
  };
}
