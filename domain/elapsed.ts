// A clock of a machine steps: it is set when the machine has begun, or somebody sets it. So what a process keeps in memory is timed by
// `performance.now()`, which never does. A stored time is one of such a clock, perhaps of another machine's, and is compared
// with this process's own here alone (docs/architecture.md#time).

/** By so much a time may lie ahead that another process has stored just now. */
const CLOCKS_APART_MS = 60_000;

/** By how many milliseconds a time is ahead of this process's clock; below 0 where it is behind. */
export const msAhead = (at: Date): number => at.getTime() - Date.now();

/** The milliseconds since a stored time; 0 where it lies ahead. */
export const msSince = (at: Date): number => Math.max(0, -msAhead(at));

/** The milliseconds until a stored time; 0 once it has come. */
export const msUntil = (at: Date): number => Math.max(0, msAhead(at));

/** Whether a stored time has come. */
export const hasCome = (at: Date): boolean => msUntil(at) === 0;

/**
 * Whether what happened at a stored time is less than so long ago. A time that lies ahead says nothing: it was stored before
 * a clock was set back, and would else hold for as long as that.
 */
export const isYounger = (at: Date, ms: number): boolean =>
  msSince(at) < ms && msUntil(at) <= CLOCKS_APART_MS;
