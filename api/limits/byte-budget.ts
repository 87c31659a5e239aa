import { rateLimited, unavailable } from '../http/http-error';
import { createShares } from './shares';

/** One request's share of the budget. */
export interface Lease {
  /**
   * Grows the share to `bytes`. A released share cannot grow: nobody waits for work that continues after the
   * release.
   * @throws HttpError UNAVAILABLE when the budget is used up, RATE_LIMITED when its owner's share is used up
   */
  growTo(bytes: number): void;
  held(): number;
  release(): void;
}

export type ByteBudget = ReturnType<typeof createByteBudget>;

const WAIT_MS = 5_000;

/**
 * Bounds the bytes of all bodies in flight, so that concurrent large pushes cannot exhaust the process's memory, and
 * those of one owner, so that nobody else has to wait for them.
 */
export function createByteBudget(limit: number, ofOwner = limit) {
  const shares = createShares(ofOwner);
  let inFlight = 0;
  return {
    lease(owner: string): Lease {
      let held = 0;
      let isOver = false;
      return {
        growTo(bytes) {
          const more = Math.max(0, bytes - held);
          if (isOver || inFlight + more > limit) throw unavailable();
          if (!shares.take(owner, more)) throw rateLimited(WAIT_MS);
          inFlight += more;
          held += more;
        },
        held: () => held,
        release() {
          isOver = true;
          shares.giveBack(owner, held);
          inFlight -= held;
          held = 0;
        },
      };
    },
  };
}
