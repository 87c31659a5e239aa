import { msAhead } from '../domain/time/elapsed';

// The same clock as `performance.now()`, which tests set to times of their own.
const sinceStart = () => Number(process.hrtime.bigint()) / 1e6;

// A clock of a database that was set back is believed after twice as long and an answer, at most a minute.
const LATELY_MS = 20_000;

/**
 * The time of the database, counted on from the answer that came soonest of those of lately: a busy process comes to some of them
 * seconds later. Of a process that was suspended since, it is too early: such a process takes more time to have passed, never less.
 */
export class DatabaseClock {
  private aheadMs = Infinity;
  private aheadBefore = -Infinity;
  private until = -Infinity;

  /** @param tookMs since it was asked. Where the clock of this process may be right by that, it is. */
  hear(time: Date | undefined, tookMs = 0): void {
    if (!time) return;
    const now = sinceStart();
    const ahead = time.getTime() - now + Math.min(Math.max(-msAhead(time), 0), tookMs);
    if (now > this.until) {
      if (Number.isFinite(this.aheadMs)) this.aheadBefore = this.aheadMs;
      this.aheadMs = -Infinity;
      this.until = now + LATELY_MS;
    }
    this.aheadMs = Math.max(this.aheadMs, ahead);
  }

  /** Milliseconds since 1970; Infinity before the first answer. */
  now(): number {
    return sinceStart() + Math.max(this.aheadMs, this.aheadBefore);
  }
}
