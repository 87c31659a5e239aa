import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../store';
import { StoreMismatch } from '../../store-mismatch';
import { isFirst } from '../../unavailable';

interface Lock {
  _id: 'lock';
  holder: string;
  /**
   * Rises while the holder lives. When it stands still for `expiryMs`, another process may take over; no clocks are
   * compared.
   */
  beat: number;
}

const TIMES = { beatMs: 3_000, expiryMs: 20_000, timeoutMs: 120_000 };
const LOOK_MS = 250;

const locks = (store: Store) => store.db.collection<Lock>('migrations');

/**
 * Runs `work` under a lock shared by all processes.
 * @param work receives a check that throws once the lock is lost
 * @throws StoreMismatch after waiting two minutes for a live holder
 */
export async function withMigrationLock<T>(
  store: Store,
  work: (requireLock: () => Promise<void>) => Promise<T>,
  times = TIMES,
): Promise<T> {
  const holder = randomUUID();
  await acquire(store, holder, times);
  const beat = () => locks(store).updateOne({ _id: 'lock', holder }, { $inc: { beat: 1 } });
  const beating = setInterval(() => void beat().catch(() => {}), times.beatMs);
  try {
    return await work(async () => {
      if ((await beat()).matchedCount === 0) throw locked();
    });
  } finally {
    clearInterval(beating);
    await locks(store).deleteOne({ _id: 'lock', holder });
  }
}

async function acquire(store: Store, holder: string, { expiryMs, timeoutMs }: typeof TIMES): Promise<void> {
  const began = performance.now();
  const watched: { lock: Lock | null; since: number } = { lock: null, since: began };
  while (!(await isFirst(locks(store).insertOne({ _id: 'lock', holder, beat: 0 })))) {
    const lock = await locks(store).findOne({ _id: 'lock' });
    if (lock?.holder !== watched.lock?.holder || lock?.beat !== watched.lock?.beat) {
      watched.lock = lock;
      watched.since = performance.now();
    }
    const still = performance.now() - watched.since;
    if (watched.lock && still > expiryMs && (await takeOver(store, watched.lock, holder))) return;
    if (performance.now() - began > timeoutMs) throw locked();
    await sleep(LOOK_MS);
  }
}

async function takeOver(store: Store, { holder: dead, beat }: Lock, holder: string): Promise<boolean> {
  const taken = await locks(store).updateOne(
    { _id: 'lock', holder: dead, beat },
    { $set: { holder, beat: beat + 1 } },
  );
  return taken.matchedCount === 1;
}

const locked = () =>
  new StoreMismatch('another process is migrating this database', 'wait until it is done, then try again');
