import { timeIn } from '../../domain/time/elapsed';
import { randomBytes } from 'node:crypto';
import type { ClientSession } from 'mongodb';
import type { Store } from '../store';
import { isDuplicateKey } from '../unavailable';
import { seal, unseal } from './seal';

/** What a channel's customer signs its links with. A channel without this takes links as they come. */
interface LinkKeys {
  /** the channel's slug */
  _id: string;
  /** Newest first; the older one signs until it expires. Sealed, as the API has to compute signatures. */
  keys: { sealed: Buffer; expires_at?: Date }[];
}

const linkKeys = (store: Store) => store.db.collection<LinkKeys>('link_keys');

export const linkKeyOwner = ({ _id }: Pick<LinkKeys, '_id'>) => `link-key/${_id}`;

const generate = () => `gdx_link_${randomBytes(32).toString('base64url')}`;

const sealed = (store: Store, slug: string, linkKey: string) => ({
  sealed: seal(store, linkKeyOwner({ _id: slug }), linkKey),
});

/**
 * The key of a channel that is added in the same transaction. It replaces one that an earlier channel has left.
 * @returns the key, shown only now
 */
export async function firstLinkKey(store: Store, slug: string, session: ClientSession): Promise<string> {
  const linkKey = generate();
  const keys = [sealed(store, slug, linkKey)];
  await linkKeys(store).updateOne({ _id: slug }, { $set: { keys } }, { upsert: true, session });
  return linkKey;
}

/**
 * Gives a channel a new key; the previous one stays valid for `keepMs`.
 * @returns the key, shown only now, and until when the previous one signs
 */
export async function newLinkKey(
  store: Store,
  slug: string,
  keepMs: number,
): Promise<{ linkKey: string; old_link_key_ends_at: Date | null }> {
  const linkKey = generate();
  for (;;) {
    const found = await linkKeys(store).findOne({ _id: slug });
    const newest = found?.keys[0];
    const old = newest && keepMs > 0 ? { ...newest, expires_at: timeIn(keepMs) } : undefined;
    const keys = [sealed(store, slug, linkKey), ...(old ? [old] : [])];
    const asRead = { _id: slug, 'keys.0.sealed': newest?.sealed ?? { $exists: false } };
    try {
      const written = await linkKeys(store).updateOne(asRead, { $set: { keys } }, { upsert: !found });
      if (written.matchedCount + written.upsertedCount === 1)
        return { linkKey, old_link_key_ends_at: old?.expires_at ?? null };
    } catch (error) {
      if (!isDuplicateKey(error)) throw error; // a concurrent command was first: start over
    }
  }
}

/** Links need no signature from now on. @returns false when they needed none before */
export async function removeLinkKeys(store: Store, slug: string, session?: ClientSession): Promise<boolean> {
  return (await linkKeys(store).deleteOne({ _id: slug }, { ...(session && { session }) })).deletedCount === 1;
}

/** Which of these channels take only signed links. */
export async function signedChannels(store: Store, slugs: string[]): Promise<Set<string>> {
  const found = await linkKeys(store)
    .find({ _id: { $in: slugs } }, { projection: { _id: 1 } })
    .toArray();
  return new Set(found.map(({ _id }) => _id));
}

/** The keys that may have signed a link; undefined where the channel's links are not signed. */
export async function liveLinkKeys(store: Store, slug: string, now: Date): Promise<string[] | undefined> {
  const found = await linkKeys(store).findOne({ _id: slug });
  const live = found?.keys.filter(({ expires_at }) => expires_at === undefined || expires_at > now);
  return live?.map(({ sealed }) => unseal(store, linkKeyOwner({ _id: slug }), sealed));
}
