import type { Document, FindOneAndUpdateOptions } from 'mongodb';
import { createHmac } from 'node:crypto';
import { RateLimiterMongo } from 'rate-limiter-flexible';
import { msAhead, timeNow } from '../../domain/time/elapsed';
import type { Store } from '../store';

export interface AttemptLimit {
  limit: number;
  windowMs: number;
}

const COLLECTION = 'attempt_counts';

interface Counted {
  key: string;
  points: number;
  expire: Date;
}

// The library's documents: `key` (ours, hashed), `points` and `expire`. A window begins with its first attempt.
export const attemptCountIndexes = [
  { name: 'key', key: { key: 1 }, unique: true, sparse: true },
  { name: 'expire', key: { expire: 1 }, expireAfterSeconds: 0 },
];

/**
 * Counts so many attempts, for all processes. A database that is away fails the call, and lets nothing through.
 * @returns 0, or the milliseconds to wait when the limit is exceeded
 */
export async function countAttempt(
  store: Store,
  what: string,
  { limit, windowMs }: AttemptLimit,
  amount = 1,
): Promise<number> {
  const limiter = new RateLimiterMongo({
    storeClient: countsOf(store),
    tableName: COLLECTION,
    keyPrefix: '',
    points: limit,
    duration: windowMs / 1000,
    disableIndexesCreation: true, // made by `gdx migrate`
  });
  const counted = await penalize(limiter, keyOf(store, what), amount);
  return counted.consumedPoints > limit ? Math.max(1, counted.msBeforeNext) : 0;
}

/**
 * The collection as the library uses it. The library asks by `$or` for windows that end and for those that never do. All of ours
 * end, so the first part is enough; for both, a stand-in of MongoDB reads every count there is. It goes by this process's own
 * clock, so its times are moved on the way there and back: a window of a clock that is ahead would keep others out as long.
 */
function countsOf({ db }: Store) {
  const counts = db.collection<Counted>(COLLECTION);
  const aheadMs = -msAhead(timeNow());
  const findOneAndUpdate = async (
    { $or, ...of }: { key: string; $or: [Document, Document] },
    update: Document,
    options: FindOneAndUpdateOptions,
  ) => {
    const filter = { ...of, ...moved($or[0], -aheadMs) };
    const counted = await counts.findOneAndUpdate(filter, moved(update, -aheadMs), options);
    return counted && { ...counted, expire: later(counted.expire, aheadMs) };
  };
  return { collection: () => ({ findOneAndUpdate }) };
}

const later = (time: Date, ms: number) => new Date(time.getTime() + ms);

/** The same filter or update, by another clock: the times are two levels down. */
const moved = (command: Document, ms: number): Document =>
  Object.fromEntries(
    Object.entries(command).map(([name, of]) => [
      name,
      Object.fromEntries(
        Object.entries(of as Document).map(([key, value]) => [
          key,
          value instanceof Date ? later(value, ms) : (value as unknown),
        ]),
      ),
    ]),
  );

/**
 * Retries where a stand-in of MongoDB answers a racing upsert with null, which the library cannot read. Such an attempt may
 * count twice, and is never missed.
 */
async function penalize(limiter: RateLimiterMongo, key: string, amount: number) {
  for (let tries = 3; ; tries -= 1) {
    try {
      return await limiter.penalty(key, amount);
    } catch (error) {
      if (!(error instanceof TypeError) || tries === 1) throw error;
    }
  }
}

/** The milliseconds until a further attempt fits; counts none. */
export async function msUntilAttempt(store: Store, what: string, limit: number): Promise<number> {
  const now = timeNow();
  const counted = { key: keyOf(store, what), points: { $gte: limit }, expire: { $gt: now } };
  const found = await store.db.collection<Counted>(COLLECTION).findOne(counted);
  return found ? found.expire.getTime() - now.getTime() : 0;
}

/** Takes back an attempt that was counted and did not happen. */
export async function uncountAttempt(store: Store, what: string): Promise<void> {
  // The library's own `reward` begins a window at -1 where the last one has ended (docs/decisions/0022).
  const counted = { key: keyOf(store, what), points: { $gt: 0 } };
  await store.db.collection(COLLECTION).updateOne(counted, { $inc: { points: -1 } });
}

/** Forgets every attempt that was counted under these names. */
export async function forgetAttempts(store: Store, names: string[]): Promise<void> {
  const key = { $in: names.map((what) => keyOf(store, what)) };
  await store.db.collection(COLLECTION).deleteMany({ key });
}

/** A keyed hash, so that phones and addresses stay unreadable. */
function keyOf(store: Store, what: string): string {
  return createHmac('sha256', store.hashKey).update(`attempt:${what}`).digest('base64url');
}

/** How a browser came to the phone: one that is known, by a link that a customer has signed for this phone, or neither. */
export interface CameBy {
  device?: string | undefined;
  signed?: boolean;
}

/** The names under which a phone's codes and guesses are counted: of one known browser, of signed links, or of all others. */
export function phoneCounts(phone: string, { device, signed }: CameBy = {}) {
  const whose = device ? `device/${phone}/${device}` : `${signed ? 'signed' : 'phone'}/${phone}`;
  return {
    codes: `code/${whose}`,
    codesDay: `code/day/${whose}`,
    guesses: `guess/${whose}`,
    guessesDay: `guess/day/${whose}`,
  };
}

/** The names under which those of all known browsers of a phone are counted together. */
export const knownBrowserCounts = (phone: string) => ({
  codes: `code/devices/${phone}`,
  guesses: `guess/devices/${phone}`,
});

/** Resets the counts of a phone's codes and guesses: those of unknown browsers, and those of all known browsers together. */
export async function unlockPhone(store: Store, phone: string): Promise<void> {
  const names = [phoneCounts(phone), phoneCounts(phone, { signed: true }), knownBrowserCounts(phone)];
  await forgetAttempts(store, names.flatMap(Object.values<string>));
}
