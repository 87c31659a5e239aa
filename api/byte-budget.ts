import { unavailable } from './http-error';

/** What one request holds of the budget. */
export interface Lease {
  /** Holds `bytes` in all. @throws HttpError UNAVAILABLE when the budget has no room for them */
  growTo(bytes: number): void;
  release(): void;
}

export interface ByteBudget {
  lease(): Lease;
}

/** Bounds the bytes of all bodies in flight, so that many large pushes at once cannot exhaust the process. */
export function createByteBudget(limit: number): ByteBudget {
  let inFlight = 0;
  return {
    lease() {
      let held = 0;
      return {
        growTo(bytes) {
          const more = Math.max(0, bytes - held);
          if (inFlight + more > limit) throw unavailable();
          inFlight += more;
          held += more;
        },
        release() {
          inFlight -= held;
          held = 0;
        },
      };
    },
  };
}
