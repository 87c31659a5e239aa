import type { Store } from './connect';

/** What the operator's tools ask of the MongoDB server itself. */
export interface ServerFacts {
  /** Undefined when it is no replica set: then it has no transactions. */
  replicaSet: string | undefined;
  /** How far its clock is ahead of ours. Milliseconds, good to half of `tookMs`. */
  clockAheadMs: number | undefined;
  tookMs: number;
  /** How full the disk of its data is, 0 to 1; undefined where it does not say. */
  diskUsed: number | undefined;
}

// The driver itself gives up looking for a server after 5 s.
const PATIENCE_MS = 7_000;

/** @throws when MongoDB is away */
export async function readServerFacts(store: Store): Promise<ServerFacts> {
  await store.db.command({ ping: 1 }, { signal: AbortSignal.timeout(PATIENCE_MS) }); // connects
  const asked = Date.now();
  const hello = await store.db.command({ hello: 1 }, { signal: AbortSignal.timeout(PATIENCE_MS) });
  const answered = Date.now();
  const clock = hello['localTime'] as Date | undefined;
  return {
    replicaSet: hello['setName'] as string | undefined,
    clockAheadMs: clock && clock.getTime() - (asked + answered) / 2,
    tookMs: answered - asked,
    diskUsed: await diskUsed(store),
  };
}

async function diskUsed(store: Store): Promise<number | undefined> {
  try {
    const { fsUsedSize, fsTotalSize } = await store.db.command({ dbStats: 1 });
    return fsTotalSize > 0 ? Number(fsUsedSize) / Number(fsTotalSize) : undefined;
  } catch {
    return undefined; // not every server has it, and not every user may ask
  }
}
