// A clock of a machine steps: it is set when the machine has begun, or somebody sets it. So what a process keeps in memory is timed by
// `performance.now()`, which never does. What is stored, or compared with what is, goes by the time of here, on which all processes
// agree (docs/architecture.md#time).

/** By so much a time may lie ahead that another process has stored just now. */
const CLOCKS_APART_MS = 60_000;

const MOST_OFF_MS = 1_000;

/** The times of two processes, each of which is at most so far off the database's, are at most this far apart. */
export const PROCESSES_APART_MS = 2 * MOST_OFF_MS;

/** The database's, in milliseconds since 1970. Not a number of one that has not been heard. */
let agreed = () => NaN;

/** From now on this process's time is at most a second off this clock. */
export const goBy = (clock: () => number): void => void (agreed = clock);

/** Milliseconds since 1970, by this process's clock as far as the database's agrees. */
export function msNow(): number {
  const [own, theirs] = [Date.now(), agreed()];
  return Number.isFinite(theirs) ? Math.min(Math.max(own, theirs - MOST_OFF_MS), theirs + MOST_OFF_MS) : own;
}

export const timeNow = (): Date => new Date(msNow());

/** The earlier of this process's own time and the database's: neither of them ends a grant too early, or reminds of one. */
export const surelyNow = (): Date => new Date(Math.min(Date.now(), msNow()));

/** The time so many milliseconds from now. */
export const timeIn = (ms: number): Date => new Date(msNow() + ms);

/** By how many milliseconds a time is ahead of this process's own clock, whatever others agree on; below 0 where it is behind. */
export const msAhead = (at: Date): number => at.getTime() - Date.now();

/** The milliseconds since a stored time; 0 where it lies ahead. */
export const msSince = (at: Date): number => Math.max(0, msNow() - at.getTime());

/** The milliseconds until a stored time; 0 once it has come. */
export const msUntil = (at: Date): number => Math.max(0, at.getTime() - msNow());

/** Whether a stored time has come. */
export const hasCome = (at: Date): boolean => msUntil(at) === 0;

/**
 * Whether what happened at a stored time is less than so long ago. A time that lies ahead says nothing: it was stored before
 * a clock was set back, and would else hold for as long as that.
 */
export const isYounger = (at: Date, ms: number): boolean =>
  msSince(at) < ms && msUntil(at) <= CLOCKS_APART_MS;
