import { msNow } from '../../domain/time/elapsed';
import { countAttempt } from '../../store/codes/attempt-counts';
import type { Store } from '../../store/store';

const WINDOW_MS = 60_000;
/** A process counts a 60th of the limit, a second's worth, by itself before it tells the others. */
const PORTIONS = 60;
// Bounds the memory, should somebody own very many addresses. Counts in the database are not lost.
export const MAX_KEYS = 100_000;

/** A limit that holds for all processes together. */
export interface SharedLimiter {
  /**
   * Counts so many more.
   * @returns 0, or the milliseconds to wait when it was one too many
   * @throws what the database throws: nothing passes that cannot be counted
   */
  take(key: string, more?: number): number | Promise<number>;
}

interface Count {
  total: number;
  /** Counted here, and not in the database yet. */
  untold: number;
  isOverLimit: boolean;
  telling?: Promise<void> | undefined;
}

/**
 * Counts in MongoDB, a portion at a time, so that few requests wait for it (docs/decisions/0023). In a minute at most
 * `perMinute` and a portion for each process pass.
 */
export function createSharedLimiter(store: Store, what: string, perMinute: number): SharedLimiter {
  const portion = Math.max(1, Math.floor(perMinute / PORTIONS));
  const limit = { limit: perMinute, windowMs: WINDOW_MS };
  let [counts, minute] = [new Map<string, Count>(), 0];

  function countOf(key: string): Count {
    const now = Math.floor(msNow() / WINDOW_MS);
    if (now !== minute || counts.size >= MAX_KEYS) [counts, minute] = [new Map(), now];
    const count = counts.get(key) ?? { total: 0, untold: 0, isOverLimit: false };
    counts.set(key, count);
    return count;
  }

  async function tell(key: string, count: Count): Promise<void> {
    const told = count.untold;
    const waitMs = await countAttempt(store, `${what}/${key}/${minute}`, limit, told);
    count.untold -= told;
    count.isOverLimit = waitMs > 0;
  }

  const waitOf = (count: Count) =>
    count.isOverLimit || count.total > perMinute ? WINDOW_MS - (msNow() % WINDOW_MS) : 0;

  function add(key: string, count: Count, more: number): number | Promise<number> {
    if (count.telling) return count.telling.then(() => add(key, count, more));
    count.total += more;
    count.untold += more;
    if (count.isOverLimit || count.total > perMinute || count.untold < portion) return waitOf(count);
    count.telling = tell(key, count).finally(() => (count.telling = undefined));
    return count.telling.then(() => waitOf(count));
  }

  return { take: (key, more = 1) => add(key, countOf(key), more) };
}
