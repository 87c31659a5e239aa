import { type Channel, findChannel } from './channels';
import type { Store } from './connect';
import { seal } from './seal';

/** What of a channel can be changed later. Its scope and companies cannot: farmers and customers rely on them. */
export type ChannelChanges = Partial<
  Pick<
    Channel,
    | 'name'
    | 'contact'
    | 'base_url'
    | 'entity_types'
    | 'cadence_ms'
    | 'page_size'
    | 'callback_origins'
    | 'gzip'
  >
> & {
  /** In the clear: it is sealed here. */
  authorization?: string;
};

/**
 * A page size set by hand is tried as it is. Entity types are set only if nothing was granted or revoked since `refuse`
 * looked; otherwise it looks again (contract 8).
 * @param refuse throws when the channel, as it is before, may not be changed so
 * @returns the channel as it is now, or null when there is none
 */
export async function setChannel(
  store: Store,
  slug: string,
  changes: ChannelChanges,
  refuse: (before: Channel) => Promise<void> = async () => {},
): Promise<Channel | null> {
  for (;;) {
    const before = await findChannel(store, slug);
    if (!before) return null;
    await refuse(before);
    const asSeen = changes.entity_types ? { shares_version: before.shares_version } : {};
    const changed = await write(store, { _id: slug, ...asSeen }, changes);
    if (changed) return changed;
  }
}

async function write(
  store: Store,
  of: Pick<Channel, '_id'> & Partial<Channel>,
  changes: ChannelChanges,
): Promise<Channel | null> {
  const { authorization, ...rest } = changes;
  const sealed = authorization !== undefined && { authorization: seal(store, of._id, authorization) };
  return store.db.collection<Channel>('channels').findOneAndUpdate(
    of,
    {
      $set: { ...rest, ...sealed },
      ...(changes.page_size === undefined ? {} : { $unset: { page_limit: 1 } }),
    },
    { returnDocument: 'after' },
  );
}
