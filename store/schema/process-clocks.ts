import { hostname } from 'node:os';
import { msAhead, timeIn, timeNow } from '../../domain/time/elapsed';
import { MINUTE_MS } from '../../domain/time/spans';
import type { Store } from '../store';

interface ProcessClock {
  /** "api host/pid" */
  _id: string;
  /** By how far its clock is ahead of the database's. */
  ahead_ms: number;
  at: Date;
}

const LATELY_MS = 3 * MINUTE_MS;

const processClocks = (store: Store) => store.db.collection<ProcessClock>('process_clocks');

export const processClockIndexes = [
  { name: 'expiry', key: { at: 1 }, expireAfterSeconds: LATELY_MS / 1_000 },
];

/** Tells once a minute how far this process's clock is off, for `gdx doctor`. What cannot be told is left out. */
export function tellClock(store: Store, name: 'api' | 'worker'): void {
  const _id = `${name} ${hostname()}/${process.pid}`;
  const tell = async () => {
    const ahead_ms = -msAhead(new Date(store.databaseClock.now()));
    await processClocks(store).updateOne({ _id }, { $set: { ahead_ms, at: timeNow() } }, { upsert: true });
  };
  const telling = () => void tell().catch(() => undefined);
  setInterval(telling, MINUTE_MS).unref();
  telling();
}

export const readProcessClocks = (store: Store): Promise<ProcessClock[]> =>
  processClocks(store)
    .find({ at: { $gt: timeIn(-LATELY_MS) } })
    .sort({ _id: 1 })
    .toArray();
