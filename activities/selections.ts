import type { ClientSession } from 'mongodb';
import type { Channel } from '../store/channels';
import type { Store } from '../store/connect';
import { readSelection, type Selection } from '../store/selection';

/** Which records a channel gets, as of the version of its shares that the channel was read with. */
export type Selections = (channel: Channel, session: ClientSession) => Promise<Selection>;

/** Keeps every channel's shared accounts in memory until its `shares_version` moves (commit-order, sharing). */
export function createSelections(store: Store): Selections {
  const kept = new Map<string, { version: number; selection: Selection }>();
  return async (channel, session) => {
    const { _id: slug, shares_version: version, companies } = channel;
    if (channel.scope === 'all') return { companies, shared: undefined };
    const known = kept.get(slug);
    if (known?.version === version) return { ...known.selection, companies };
    const selection = await readSelection(store, channel, session);
    kept.set(slug, { version, selection });
    return selection;
  };
}
