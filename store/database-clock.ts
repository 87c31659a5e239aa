// The same clock as `performance.now()`, which tests set to times of their own.
const sinceStart = () => Number(process.hrtime.bigint()) / 1e6;

/**
 * The time of the database, counted on from its latest answer. Of a process that was suspended since, it is too early:
 * such a process takes more time to have passed, never less.
 */
export class DatabaseClock {
  private aheadMs = Infinity;

  hear(time: Date | undefined): void {
    if (time) this.aheadMs = time.getTime() - sinceStart();
  }

  /** Milliseconds since 1970; Infinity before the first answer. */
  now(): number {
    return sinceStart() + this.aheadMs;
  }
}
