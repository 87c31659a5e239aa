import type { Channel } from './channels';
import type { Store } from './connect';

/** What of a channel can be changed later. Its scope and companies cannot: farmers and customers rely on them. */
export type ChannelChanges = Partial<
  Pick<
    Channel,
    'name' | 'contact' | 'base_url' | 'entity_types' | 'cadence_ms' | 'page_size' | 'callback_origins'
  >
>;

/** @returns the channel as it is now, or null when there is none of that slug. */
export async function setChannel(
  store: Store,
  slug: string,
  changes: ChannelChanges,
): Promise<Channel | null> {
  return store.db
    .collection<Channel>('channels')
    .findOneAndUpdate({ _id: slug }, { $set: changes }, { returnDocument: 'after' });
}
