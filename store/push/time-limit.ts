import type { Store } from '../store';
import { deadlineIn, WRITE_TIMEOUT_MS } from '../transact';

/** Until when a push may be stored: after it its ERP has been told that it failed, and may have sent something newer. */
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
 * Asks the database for its time. Whoever holds the counters asks: whatever is newer then waits for them, or has been
 * stored before its time was asked for (docs/contract.md E11).
 * @returns whether a limit is over
 */
export async function askWhetherOver({ db, databaseClock }: Store): Promise<(limit: TimeLimit) => boolean> {
  const { localTime } = (await db.command({ hello: 1 })) as { localTime?: Date };
  databaseClock.hear(localTime);
  const now: TimeLimit = { own: performance.now(), database: localTime?.getTime() ?? 0 };
  return (limit) => now.own > limit.own || now.database > limit.database;
}
