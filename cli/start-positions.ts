import type { EntityType } from '../domain/entity-types';
import type { ChannelSettings } from '../store/channels/channels';
import type { Store } from '../store/store';
import { readCeilings } from '../store/records/counters';
import { floorOf } from '../store/window/change-times';

/**
 * The initial markers of a new channel (docs/contract.md C19): everything stored, unless `since` is given. A channel of
 * scope `subscribed` begins now, since an account's older records arrive with its catch-up.
 */
export async function startPositions(
  store: Store,
  { entity_types: types, scope }: Pick<ChannelSettings, 'entity_types' | 'scope'>,
  since: Date | 'now' | undefined,
): Promise<Map<EntityType, number>> {
  const positions = new Map(types.map((type) => [type, 0]));
  if (since === undefined && scope === 'all') return positions;
  // Read before the floors, so that a commit between the two is above the ceiling and is delivered.
  const ceilings = await readCeilings(store);
  for (const type of types) {
    const floor = since === 'now' || since === undefined ? undefined : await floorOf(store, type, since);
    positions.set(type, floor ?? ceilings[type]);
  }
  return positions;
}
