import type { ClientSession } from 'mongodb';
import type { Store } from '../store';
import { deadlineIn, WRITE_TIMEOUT_MS } from '../transact';

/** Until when a push may be stored. Later, its ERP has been told that it failed, and may have sent something newer. */
export interface TimeLimit {
  /** As of `deadlineIn`. This clock stands still while the machine is suspended. */
  own: number;
  /** By the clock of the database, which does not. */
  database: number;
}

export const timeLimit = ({ databaseClock }: Store, ms = WRITE_TIMEOUT_MS): TimeLimit => ({
  own: deadlineIn(ms),
  database: databaseClock.now() + ms,
});

/**
 * Those whose time is over. Whoever holds the counters asks: whatever is newer then waits for them, or has been stored before
 * (docs/contract.md E11). The database's answers tell the second of its newest write. While it lies before a limit, nothing was
 * stored after that limit; only otherwise the database is asked for its time.
 * @param session of the transaction that holds the counters
 */
export async function lateAmong<Timed extends { limit: TimeLimit }>(
  { db, databaseClock }: Store,
  { clusterTime }: ClientSession,
  pushes: Timed[],
): Promise<Timed[]> {
  const newestMs = clusterTime ? (clusterTime.clusterTime.t + 1) * 1_000 : Infinity;
  let now = 0;
  if (pushes.some(({ limit }) => limit.database < newestMs)) {
    const { localTime } = (await db.command({ hello: 1 })) as { localTime?: Date };
    databaseClock.hear(localTime);
    now = localTime?.getTime() ?? 0;
  }
  const own = performance.now();
  return pushes.filter(({ limit }) => own > limit.own || now > limit.database);
}
