import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import type { Store } from '../store';
import { readCeilings } from '../push/counters';
import { records } from '../push/records';

/** A counter and the highest position found elsewhere in the store. */
export interface KnownPosition {
  entity_type: EntityType;
  counter: number;
  highest: number;
}

/**
 * Per entity type, the counter and the highest position of a marker, a catch-up's end or a record. A counter below
 * that would hand out positions that markers have passed, and such records would never be delivered
 * (docs/architecture.md#commit-order, rule 1).
 */
export async function knownPositions(store: Store): Promise<KnownPosition[]> {
  // The counters are read last: concurrent pushes can only raise them above what was read before.
  const marked = await highestMarkers(store);
  const stored = new Map<EntityType, number>();
  for (const type of ENTITY_TYPES) {
    const newest = await records(store, type)
      .find({}, { projection: { position: 1 } })
      .sort({ position: -1 })
      .limit(1)
      .next();
    stored.set(type, newest?.position ?? 0);
  }
  const counters = await readCeilings(store);
  return ENTITY_TYPES.map((type) => ({
    entity_type: type,
    counter: counters[type],
    highest: Math.max(marked.get(type) ?? 0, stored.get(type) ?? 0),
  }));
}

export const isBehind = ({ counter, highest }: KnownPosition) => counter < highest;

async function highestMarkers(store: Store): Promise<Map<EntityType, number>> {
  const highest = new Map<EntityType, number>();
  const markers = store.db.collection<{ entity_type: EntityType; position: number; until?: number }>(
    'markers',
  );
  const projection = { entity_type: 1, position: 1, until: 1 };
  for await (const { entity_type: type, position, until = 0 } of markers.find({}, { projection })) {
    highest.set(type, Math.max(highest.get(type) ?? 0, position, until));
  }
  return highest;
}
