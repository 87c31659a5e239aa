import { ENTITY_TYPES, type EntityType } from '../domain/entity-types';
import { formatInstant } from '../domain/instants';
import { leftOf, listCatchUps } from './catch-ups';
import type { Channel } from './channels';
import type { Store } from './connect';
import { readCeilings } from './counters';
import { readMarkers, type Marker } from './markers';
import { readSelection } from './selection';
import { countWindow } from './window';

/** One marker as its customer and the operator see it (contract 4). */
export interface MarkerView {
  entity_type: EntityType;
  timestamp: string | null;
  pending_records: number;
  delivered_at: string | null;
  last_reset: { timestamp: string; at: string } | null;
}

/** The channel's markers, one for each type that it carries, in the order of delivery. */
export async function listChannelMarkers(store: Store, channel: Channel): Promise<MarkerView[]> {
  const markers = await readMarkers(store, channel._id);
  const ceilings = await readCeilings(store);
  const selection = await readSelection(store, channel);
  const catchUps = await listCatchUps(store, channel._id);
  const types = ENTITY_TYPES.filter((type) => channel.entity_types.includes(type));
  return Promise.all(
    types.map(async (type) => {
      const marker = markers.get(type);
      // A channel that has not run yet begins with everything stored (contract 8).
      const window = { after: marker?.position ?? 0, upTo: ceilings[type] };
      const earlier = catchUps.filter(({ entity_type }) => entity_type === type).map(leftOf);
      const pending = await countWindow(store, type, window, selection);
      return toView(type, marker, pending + earlier.reduce((sum, left) => sum + left, 0));
    }),
  );
}

function toView(type: EntityType, marker: Marker | undefined, pending: number): MarkerView {
  const reset = marker?.last_reset;
  return {
    entity_type: type,
    timestamp: instant(marker?.timestamp),
    pending_records: pending,
    delivered_at: instant(marker?.delivered_at),
    last_reset: reset ? { timestamp: formatInstant(reset.timestamp), at: formatInstant(reset.at) } : null,
  };
}

const instant = (date: Date | null | undefined) => (date ? formatInstant(date) : null);
