import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import { formatInstant } from '../../domain/time/instants';
import { remainingOf, listCatchUps } from './catch-ups';
import type { Channel } from '../channels/channels';
import type { Store } from '../store';
import { countWindow } from '../window/window';
import { readCeilings } from '../records/counters';
import { readMarkers, type Marker } from './markers';
import { readSelection } from '../window/selection';

/** One marker as the customer and the operator see it (docs/contract.md C17). */
export interface MarkerView {
  entity_type: EntityType;
  timestamp: string | null;
  pending_records: number;
  /** `pending_records` is a lower bound: counting was cut off. */
  pending_at_least?: true;
  delivered_at: string | null;
  last_reset: { timestamp: string; at: string } | null;
}

const COUNT_WITHIN_MS = 2_000;

/** The channel's markers, one for each of its entity types, in the order of delivery. */
export async function listChannelMarkers(store: Store, channel: Channel): Promise<MarkerView[]> {
  const markers = await readMarkers(store, channel._id);
  const ceilings = await readCeilings(store);
  const signal = AbortSignal.timeout(COUNT_WITHIN_MS);
  const types = ENTITY_TYPES.filter((type) => channel.entity_types.includes(type));
  return Promise.all(
    types.map(async (type) => {
      const marker = markers.get(type);
      // A channel that has not run yet begins with all stored records (docs/contract.md C19).
      const window = { after: marker?.position ?? 0, upTo: ceilings[type] };
      const earlier = (await listCatchUps(store, channel._id, type)).map(remainingOf);
      const selection = await readSelection(store, channel, type);
      const later = await countWindow(store, type, window, selection, signal);
      const pending = earlier.reduce((sum, left) => sum + left, later.records);
      return {
        ...toView(type, marker, pending),
        ...(later.complete ? {} : { pending_at_least: true as const }),
      };
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
