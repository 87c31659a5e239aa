import type { EntityType } from '../domain/entity-types';
import { type CatchUp, leftOf } from './catch-ups';
import type { Channel } from './channels';
import type { Store } from './connect';
import { readCeilings } from './counters';
import type { Marker } from './markers';
import { readSelection } from './selection';
import { countWindow, readPageRecords } from './window';

/** What a channel's customer has not confirmed, of one entity type. */
export interface Waiting {
  channel: string;
  entity_type: EntityType;
  /** Catch-ups included. */
  records: number;
  /** Since when the oldest change waits, catch-ups aside; null when none does. */
  since: Date | null;
}

/** One row a channel and entity type. A channel that is up to date costs no query of its own. */
export async function listWaiting(store: Store, channels: Channel[]): Promise<Waiting[]> {
  const ceilings = await readCeilings(store);
  const markers = await readAllMarkers(store);
  const rows: Waiting[] = [];
  for (const channel of channels) {
    const { own, caughtUp } = markers.get(channel._id) ?? { own: new Map(), caughtUp: new Map() };
    for (const type of channel.entity_types) {
      const later = await changesAbove(store, channel, type, own.get(type), ceilings[type]);
      const records = later.records + (caughtUp.get(type) ?? 0);
      rows.push({ channel: channel._id, entity_type: type, records, since: later.since });
    }
  }
  return rows;
}

interface ChannelMarkers {
  own: Map<EntityType, Marker>;
  /** What is left of the catch-ups. */
  caughtUp: Map<EntityType, number>;
}

async function readAllMarkers(store: Store): Promise<Map<string, ChannelMarkers>> {
  const all = new Map<string, ChannelMarkers>();
  for await (const marker of store.db.collection<Marker | CatchUp>('markers').find()) {
    const known = all.get(marker.channel) ?? { own: new Map(), caughtUp: new Map() };
    all.set(marker.channel, known);
    const { own, caughtUp } = known;
    if ('account' in marker) {
      caughtUp.set(marker.entity_type, (caughtUp.get(marker.entity_type) ?? 0) + leftOf(marker));
    } else own.set(marker.entity_type, marker);
  }
  return all;
}

async function changesAbove(
  store: Store,
  channel: Channel,
  type: EntityType,
  marker: Marker | undefined,
  ceiling: number,
): Promise<{ records: number; since: Date | null }> {
  const window = { after: marker?.position ?? 0, upTo: ceiling };
  if (ceiling <= window.after) return { records: 0, since: null };
  const selection = await readSelection(store, channel);
  return store.client.withSession(async (session) => {
    const query = { window, selection, limit: 1, span: channel.page_size, session };
    const page = await readPageRecords(store, type, query);
    const [oldest] = page.records;
    if (!oldest) return { records: 0, since: null };
    const records = await countWindow(store, type, window, selection, session);
    return { records, since: latest(oldest.updated_at, marker?.last_reset?.at, channel.created_at) };
  });
}

// What a reset sends again, or a new channel begins with, has not waited since it was stored.
const latest = (...instants: (Date | undefined)[]) =>
  new Date(Math.max(...instants.map((instant) => instant?.getTime() ?? 0)));
