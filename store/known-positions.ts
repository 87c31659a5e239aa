import { ENTITY_TYPES, type EntityType } from '../domain/entity-types';
import type { Store } from './connect';
import { readCeilings } from './counters';
import { records } from './records';

/** A counter and the highest position that anything else in the store knows of. */
export interface KnownPosition {
  entity_type: EntityType;
  counter: number;
  highest: number;
}

/**
 * Per entity type, the counter beside the highest position of a marker, a catch-up's end or a record. A counter below it
 * would hand out positions that markers have passed already: such pushes would never be delivered (commit-order 1).
 */
export async function knownPositions(store: Store): Promise<KnownPosition[]> {
  // The counters last: a push or a run meanwhile can only make them higher than what was seen before.
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
