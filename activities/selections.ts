import type { ClientSession } from 'mongodb';
import type { EntityType } from '../domain/records/entity-types';
import type { Channel } from '../store/channels/channels';
import type { Store } from '../store/store';
import { isOutdated, readSelection, type Selection } from '../store/window/selection';
import { NONE_DECLARED, type ShownFields } from '../domain/records/shown-fields';
import { readShownFields } from '../store/sharing/passed-fields';

/** Which records a channel gets, and which of their fields if its scope is `subscribed`. */
export interface ShownSelection extends Selection {
  fields: ShownFields;
}

/** Reads what is shared with a channel, or takes what was read before for the same `shares_version`. */
export type Selections = (
  channel: Channel,
  type: EntityType,
  session: ClientSession,
) => Promise<ShownSelection>;

// Together they take about 50 MB.
const MOST_ACCOUNTS = 500_000;

interface Kept {
  version: number;
  selection: ShownSelection;
}

/**
 * Caches what is shared with channels until their `shares_version` changes or a grant ends
 * (docs/architecture.md#sharing). It drops what was used longest ago once there are more than `most` accounts
 * in all, but never the selection just used, however large.
 */
export function createSelections(store: Store, most = MOST_ACCOUNTS, read = readShown): Selections {
  const kept = new Map<string, Kept>(); // the last used at the end
  let accounts = 0;

  function forget(key: string): void {
    accounts -= kept.get(key)?.selection.shared?.size ?? 0;
    kept.delete(key);
  }

  function keep(key: string, one: Kept): void {
    forget(key);
    kept.set(key, one);
    accounts += one.selection.shared?.size ?? 0;
    for (const oldest of kept.keys()) {
      if (accounts <= most || oldest === key) return;
      forget(oldest);
    }
  }

  return async (channel, type, session) => {
    const { _id: slug, shares_version: version, companies } = channel;
    if (channel.scope === 'all') return { companies, shared: undefined, fields: NONE_DECLARED };
    const key = `${slug}/${type}`;
    let one = kept.get(key);
    if (one?.version !== version || isOutdated(one.selection))
      one = { version, selection: await read(store, channel, type, session) };
    keep(key, one);
    return { ...one.selection, companies };
  };
}

async function readShown(
  store: Store,
  channel: Channel,
  type: EntityType,
  session: ClientSession,
): Promise<ShownSelection> {
  const selection = await readSelection(store, channel, type, session);
  return { ...selection, fields: await readShownFields(store, channel.companies, session) };
}
