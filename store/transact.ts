import type { ClientSession } from 'mongodb';
import { WriteTimeout } from './unavailable';

/** A write that does not take its locks and commit within this is answered 503 (docs/contract.md E11). */
export const WRITE_TIMEOUT_MS = 25_000;

/**
 * Runs one transaction, retried as a whole after write conflicts. The driver retries for two minutes and has no
 * shorter limit; `deadline` sets one.
 * @param deadline no try begins after it; milliseconds since 1970
 * @throws WriteTimeout
 */
export function transact<T>(session: ClientSession, deadline: number, work: () => Promise<T>): Promise<T> {
  let tries = 0;
  return session.withTransaction(() => {
    // Before the first try too: past the deadline the caller has been told that it failed, and may have sent something else.
    if (Date.now() > deadline) throw new WriteTimeout(`not committed in time, after ${tries} tries`);
    tries += 1;
    return work();
  });
}
