import type { Channel } from './channels';
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

/** A page size set by hand is tried as it is. @returns the channel as it is now, or null when there is none. */
export async function setChannel(
  store: Store,
  slug: string,
  changes: ChannelChanges,
): Promise<Channel | null> {
  const { authorization, ...rest } = changes;
  const sealed = authorization !== undefined && { authorization: seal(store, slug, authorization) };
  return store.db.collection<Channel>('channels').findOneAndUpdate(
    { _id: slug },
    {
      $set: { ...rest, ...sealed },
      ...(changes.page_size === undefined ? {} : { $unset: { page_limit: 1 } }),
    },
    { returnDocument: 'after' },
  );
}
