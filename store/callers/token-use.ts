import { timeNow } from '../../domain/time/elapsed';
import type { Store } from '../store';

/** When a token was last used. Stored apart from the tokens, which the API may not write (deploy/mongodb-roles.json). */
interface TokenUse {
  /** The token's hash. */
  _id: string;
  at: Date;
}

const KEPT_S = 400 * 24 * 3600;

const uses = (store: Store) => store.db.collection<TokenUse>('token_uses');

export const tokenUseIndexes = [{ name: 'expiry', key: { at: 1 }, expireAfterSeconds: KEPT_S }];

export async function noteTokenUse(store: Store, hash: string): Promise<void> {
  await uses(store).updateOne({ _id: hash }, { $set: { at: timeNow() } }, { upsert: true });
}

/** When the newest of these tokens, and the one before it, were last used. */
export async function lastUses(
  store: Store,
  hashes: readonly string[],
): Promise<{ newest: Date | null; old: Date | null }> {
  const found = await uses(store)
    .find({ _id: { $in: [...hashes] } })
    .toArray();
  const [newest = null, old = null] = hashes.map((hash) => found.find(({ _id }) => _id === hash)?.at ?? null);
  return { newest, old };
}
