import { type Channel, channels, findChannel } from './channels';
import { sealSent, type SentSecrets } from './sent-secrets';
import type { Store } from '../store';

/** The settings of a channel that can change. Scope and companies cannot: farmers and customers rely on them. */
export type ChannelChanges = Partial<
  Pick<
    Channel,
    | 'name'
    | 'contact'
    | 'end_required'
    | 'delivery'
    | 'base_url'
    | 'notify_url'
    | 'entity_types'
    | 'cadence_ms'
    | 'page_size'
    | 'callback_origins'
    | 'gzip'
  >
> &
  SentSecrets;

/**
 * Changes a channel. A new page size also drops the limit learnt from 413s. Entity types are changed only if nothing
 * was granted or revoked since `refuse` was called; otherwise it is called again (docs/contract.md S5).
 * @param refuse throws when the channel may not be changed in this way
 * @returns the changed channel, or null when there is none
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
  const { authorization: _, headers: __, ...rest } = changes;
  const sealed = await sealSent(store, of._id, changes);
  return channels(store).findOneAndUpdate(
    of,
    {
      $set: { ...rest, ...sealed },
      ...(changes.page_size === undefined ? {} : { $unset: { page_limit: 1 } }),
    },
    { returnDocument: 'after' },
  );
}
