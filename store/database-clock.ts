/**
 * The time of the database, counted on from its latest answer. Of a process that was suspended since, it is too early:
 * such a process takes more time to have passed, never less.
 */
export class DatabaseClock {
  private aheadMs = Infinity;

  hear(time: Date | undefined): void {
    if (time) this.aheadMs = time.getTime() - performance.now();
  }

  /** Milliseconds since 1970; Infinity before the first answer. */
  now(): number {
    return performance.now() + this.aheadMs;
  }
}
