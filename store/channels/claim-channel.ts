import type { ClientSession } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import { seeNewest } from '../records/counters';
import type { Store } from '../store';
import { type Channel, findChannel } from './channels';

/**
 * The channel right before a page leaves, with every revoke, pause and change that was answered. A primary that was deposed
 * and does not know it cannot answer (docs/architecture.md#sharing).
 */
export async function claimChannel(
  store: Store,
  slug: string,
  session: ClientSession,
): Promise<Channel | null> {
  await seeNewest(store, session);
  return findChannel(store, slug, session);
}

/** Whether any page of this type leaves for the channel now. */
export const getsPagesOf = (channel: Channel | null, type: EntityType): channel is Channel =>
  channel?.state === 'active' && channel.entity_types.includes(type);

/** What a page is made for: once one of these is another, the page does not leave. */
type MadeFor = Pick<Channel, 'shares_version' | 'base_url' | 'delivery'>;

/** Whether a page of this type that was made for the channel as it was before may leave for it as it is now. */
export const mayLeave = (now: Channel | null, type: EntityType, made: MadeFor): boolean =>
  getsPagesOf(now, type) &&
  now.shares_version === made.shares_version &&
  now.base_url === made.base_url &&
  now.delivery === made.delivery;
