import { createHmac } from 'node:crypto';
import type { Store } from './connect';
import { isDuplicateKey } from './unavailable';

/** How often something was done in a window that began with the first time; shared by all processes. */
interface AttemptCount {
  /** A keyed hash: phones and addresses are not to be read here. */
  _id: string;
  count: number;
  expires_at: Date;
}

export interface AttemptLimit {
  limit: number;
  windowMs: number;
}

const counts = (store: Store) => store.db.collection<AttemptCount>('attempt_counts');

export const attemptCountIndexes = [{ name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 }];

/** Counts one more. @returns 0, or the milliseconds to wait when it was one too many */
export async function countAttempt(
  store: Store,
  what: string,
  { limit, windowMs }: AttemptLimit,
): Promise<number> {
  const _id = keyOf(store, what);
  for (;;) {
    const now = Date.now();
    // The window's end is removed by the TTL index some time later: until then it is in the way of a new one.
    await counts(store).deleteOne({ _id, expires_at: { $lte: new Date(now) } });
    try {
      const counted = await counts(store).findOneAndUpdate(
        { _id, expires_at: { $gt: new Date(now) } },
        { $inc: { count: 1 }, $setOnInsert: { expires_at: new Date(now + windowMs) } },
        { upsert: true, returnDocument: 'after' },
      );
      if (counted && counted.count > limit) return Math.max(1, counted.expires_at.getTime() - now);
      return 0;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error; // two began the window at once: the second counts in the first's
    }
  }
}

/** Takes one back: what was counted did not happen. */
export async function uncountAttempt(store: Store, what: string): Promise<void> {
  await counts(store).updateOne({ _id: keyOf(store, what), count: { $gt: 0 } }, { $inc: { count: -1 } });
}

function keyOf(store: Store, what: string): string {
  return createHmac('sha256', store.hashKey).update(`attempt:${what}`).digest('base64url');
}
