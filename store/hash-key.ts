import type { Store } from './connect';
import { deriveKey, seal, unseal } from './seal';
import { isDuplicateKey } from './unavailable';

/** A key that outlives the secret key it is sealed with. */
export interface KeptKey {
  _id: 'hash';
  sealed: Buffer;
}

export const keptKeyOwner = ({ _id }: KeptKey) => `key/${_id}`;

const keys = (store: Store) => store.db.collection<KeptKey>('keys');

/** What farmers' phones, codes and limits are hashed with, until a database says that another one was there first. */
export const firstHashKey = (secretKey: Buffer) => deriveKey(secretKey, 'hashes');

/**
 * The database's hash key, made from the secret key when there is none. It is kept, sealed, so that subscriptions,
 * consents and limits are still found after the secret key was rotated: phones cannot be hashed anew, nobody has them.
 * @throws SecretKeyMissing when this process has another secret key than the database
 */
export async function loadHashKey(store: Store): Promise<Buffer> {
  for (;;) {
    const kept = await keys(store).findOne({ _id: 'hash' });
    if (kept) return Buffer.from(unseal(store, keptKeyOwner(kept), kept.sealed), 'base64');
    const first = firstHashKey(store.secretKey).toString('base64');
    try {
      await keys(store).insertOne({
        _id: 'hash',
        sealed: seal(store, keptKeyOwner({ _id: 'hash' } as KeptKey), first),
      });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error; // another process was first
    }
  }
}
