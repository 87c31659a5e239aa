import type { ClientSession } from 'mongodb';
import { WriteTimeout } from './unavailable';

/**
 * Runs one transaction, retried as a whole after write conflicts. The driver retries for two minutes and has no
 * shorter limit; `deadline` sets one.
 * @param deadline no try begins after it; milliseconds since 1970
 * @throws WriteTimeout
 */
export function transact<T>(session: ClientSession, deadline: number, work: () => Promise<T>): Promise<T> {
  let tries = 0;
  return session.withTransaction(() => {
    // Also before the first: whoever asked has been told by now that it was not done, and may have asked for something else.
    if (Date.now() > deadline) throw new WriteTimeout(`not committed in time, after ${tries} tries`);
    tries += 1;
    return work();
  });
}
