import { msAhead } from '../../domain/time/elapsed';
import type { Store } from '../store';

/** What the MongoDB server says of itself at once. */
interface ServerClock {
  /** Its name; undefined where there is none, and so there are no transactions. */
  replicaSet: string | undefined;
  /** How far its clock is ahead of ours, in milliseconds, accurate to half of `tookMs`. */
  clockAheadMs: number | undefined;
  tookMs: number;
}

// Longer than the driver's own server selection of 5 s.
const TIMEOUT_MS = 7_000;

/** @throws when MongoDB is away */
export async function readServerClock(store: Store): Promise<ServerClock> {
  await store.db.command({ ping: 1 }, { signal: AbortSignal.timeout(TIMEOUT_MS) }); // connects
  const asked = performance.now();
  const hello = await store.db.command({ hello: 1 }, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const clock = hello['localTime'] as Date | undefined;
  const aheadMs = clock && msAhead(clock); // before `tookMs`, which then has all that lies between the two clocks
  const tookMs = performance.now() - asked;
  return {
    // A mongos names none, and leads to nothing else.
    replicaSet: hello['msg'] === 'isdbgrid' ? 'behind mongos' : (hello['setName'] as string | undefined),
    clockAheadMs: aheadMs === undefined ? undefined : aheadMs + tookMs / 2,
    tookMs,
  };
}

/**
 * Facts for the operator's tools. A server may read all that it holds to answer this: it is for people who ask.
 * @throws when MongoDB is away
 */
export const readServerFacts = async (store: Store) => ({
  ...(await readServerClock(store)),
  diskUsed: await diskUsed(store),
});

/** How full its data disk is, 0 to 1; undefined where the server does not report it. */
async function diskUsed(store: Store): Promise<number | undefined> {
  try {
    const { fsUsedSize, fsTotalSize } = await store.db.command({ dbStats: 1 });
    return fsTotalSize > 0 ? Number(fsUsedSize) / Number(fsTotalSize) : undefined;
  } catch {
    return undefined; // not every server reports it, and not every user may ask
  }
}
