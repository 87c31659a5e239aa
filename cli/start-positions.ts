import type { EntityType } from '../domain/entity-types';
import type { Store } from '../store/connect';
import { readCeilings } from '../store/counters';
import { floorOf } from '../store/records';

/** Where a new channel's markers begin (contract 8): with everything stored, unless `since` says otherwise. */
export async function startPositions(
  store: Store,
  types: readonly EntityType[],
  since: Date | 'now' | undefined,
): Promise<Map<EntityType, number>> {
  const positions = new Map(types.map((type) => [type, 0]));
  if (since === undefined) return positions;
  // Before the floors: what commits between the two is above the ceiling and so delivered.
  const ceilings = await readCeilings(store);
  for (const type of types) {
    const floor = since === 'now' ? undefined : await floorOf(store, type, since);
    positions.set(type, floor ?? ceilings[type]);
  }
  return positions;
}
