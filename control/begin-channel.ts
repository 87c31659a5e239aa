import { timeNow } from '../domain/time/elapsed';
import { ENTITY_TYPES, type EntityType } from '../domain/records/entity-types';
import { addChannel, type Channel, type ChannelSettings } from '../store/channels/channels';
import { beginMarkers, countFromNow } from '../store/markers/markers';
import type { ChannelChanges } from '../store/channels/set-channel';
import { readCeilings } from '../store/records/counters';
import { firstLinkKey, removeLinkKeys } from '../store/secrets/link-keys';
import type { Store } from '../store/store';
import { deadlineIn, transact } from '../store/transact';
import { floorOf } from '../store/window/change-times';

/** What a new channel begins with, and whether its links to farmers are signed. */
export interface Beginning {
  since: Date | 'now' | undefined;
  signsLinks: boolean;
}

/**
 * Adds a channel with its markers and its link key, in one transaction. As soon as the channel exists, a run may start, which must
 * not begin with everything, and a link may come, which must be signed. Of two who add it at once, the second one changes nothing
 * of the first one's.
 * @returns its secrets, which are shown once
 * @throws ChannelExists
 */
export async function beginChannel(
  store: Store,
  slug: string,
  settings: ChannelSettings,
  { since, signsLinks }: Beginning,
) {
  const positions = await startPositions(store, settings, since);
  const stored = since && { since: since === 'now' ? timeNow() : since };
  return store.client.withSession((session) =>
    transact(store, session, deadlineIn(), async () => {
      const added = await addChannel(store, slug, { ...settings, ...stored }, session);
      await beginMarkers(store, slug, positions, session);
      if (signsLinks) return { ...added, linkKey: await firstLinkKey(store, slug, session) };
      await removeLinkKeys(store, slug, session); // keys of an earlier channel
      return { ...added, linkKey: undefined };
    }),
  );
}

/**
 * Sets where types begin that a channel is to get: where they would have begun with it. Called before it has them, so that no
 * run begins with everything. A type that it has carried before continues. What is stored already is not late: of these types,
 * and of all that its customer has collected so far.
 */
export async function beginTypes(
  store: Store,
  channel: Channel,
  { entity_types: types = [], delivery }: Pick<ChannelChanges, 'entity_types' | 'delivery'>,
): Promise<void> {
  const entity_types = types.filter((type) => !channel.entity_types.includes(type));
  const positions = await startPositions(store, { ...channel, entity_types }, channel.since);
  await beginMarkers(store, channel._id, positions);
  const isPosted = channel.delivery === 'pull' && delivery === 'push';
  await countFromNow(store, channel._id, isPosted ? ENTITY_TYPES : entity_types);
}

/**
 * The initial markers of a new channel (docs/contract.md C19): everything stored, unless `since` is given. A channel of
 * scope `subscribed` begins now, since an account's older records arrive with its catch-up.
 */
async function startPositions(
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
