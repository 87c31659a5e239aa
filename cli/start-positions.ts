import type { EntityType } from '../domain/entity-types';
import type { ChannelSettings } from '../store/channels';
import type { Store } from '../store/connect';
import { readCeilings } from '../store/counters';
import { floorOf } from '../store/records';

/**
 * Where a new channel's markers begin (contract 8): with everything stored, unless `since` says otherwise. What was
 * there before an account is shared comes with its catch-up, so a channel of scope `subscribed` begins now.
 */
export async function startPositions(
  store: Store,
  { entity_types: types, scope }: Pick<ChannelSettings, 'entity_types' | 'scope'>,
  since: Date | 'now' | undefined,
): Promise<Map<EntityType, number>> {
  const positions = new Map(types.map((type) => [type, 0]));
  if (since === undefined && scope === 'all') return positions;
  // Before the floors: what commits between the two is above the ceiling and so delivered.
  const ceilings = await readCeilings(store);
  for (const type of types) {
    const floor = since === 'now' || since === undefined ? undefined : await floorOf(store, type, since);
    positions.set(type, floor ?? ceilings[type]);
  }
  return positions;
}
