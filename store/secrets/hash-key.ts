import { createHmac, randomBytes } from 'node:crypto';
import type { HashKeys, Store } from '../store';
import { deriveKey, seal, unseal } from './seal';
import { isFirst } from '../unavailable';

/** Keys that outlive the secret key they are sealed with. */
interface StoredHashKeys {
  _id: 'hash';
  sealed: Buffer;
  previous?: Buffer;
}

const HASH_KEY_OWNER = 'key/hash';

const keys = (store: Store) => store.db.collection<StoredHashKeys>('keys');

/** Hashes farmers' phones, codes and limits, unless the database already has a hash key. */
export const firstHashKey = (secretKey: Buffer) => deriveKey(secretKey, 'hashes');

/** What is stored of a phone of ten digits. */
export const hashPhone = (key: Buffer, phone: string) =>
  createHmac('sha256', key).update(`farmer:${phone}`).digest('base64url');

/** Tells which key a hash was made with, and says nothing about the key. */
export const hashKeyId = (key: Buffer) => deriveKey(key, 'hash key id', 4).toString('hex');

/**
 * The database's hash keys; the first is created from the secret key when there is none. They are stored, sealed, so
 * that farmers and limits are still found after a rotation of the secret key: phones cannot be hashed again, as they are
 * stored nowhere.
 * @throws SecretKeyMissing when this process has another secret key than the database
 */
async function loadHashKeys(store: Store): Promise<HashKeys> {
  for (;;) {
    const kept = await keys(store).findOne({ _id: 'hash' });
    if (kept) return open(store, kept);
    // Another process may be first.
    await isFirst(keys(store).insertOne({ _id: 'hash', sealed: sealKey(store, store.hashKey) }));
  }
}

/** Hashes with a new key from now on; the one before still finds farmers. @returns false when two are in use already */
export async function addHashKey(store: Store): Promise<boolean> {
  const { sealed } = (await keys(store).findOne({ _id: 'hash' }))!;
  const { matchedCount } = await keys(store).updateOne(
    { _id: 'hash', sealed, previous: { $exists: false } },
    { $set: { sealed: sealKey(store, randomBytes(32)), previous: sealed } },
  );
  await refreshHashKeys(store);
  return matchedCount === 1;
}

/** Ends the key before the current one: what only it finds is lost. */
export async function dropPreviousHashKey(store: Store): Promise<void> {
  await keys(store).updateOne({ _id: 'hash' }, { $unset: { previous: 1 } });
  await refreshHashKeys(store);
}

/** Reads the keys again: another process may have exchanged them. */
export async function refreshHashKeys(store: Store): Promise<void> {
  store.hashKeys = await loadHashKeys(store);
}

const sealKey = (store: Store, key: Buffer) => seal(store, HASH_KEY_OWNER, key.toString('base64'));

function open(store: Store, { sealed, previous }: StoredHashKeys): HashKeys {
  const one = (key: Buffer) => Buffer.from(unseal(store, HASH_KEY_OWNER, key), 'base64');
  return { current: one(sealed), previous: previous && one(previous) };
}
