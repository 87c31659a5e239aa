import type { ClientSession } from 'mongodb';
import { WriteTimeout } from './unavailable';

/**
 * Runs one transaction, retried as a whole after write conflicts. The driver retries for two minutes and has no
 * shorter limit; `deadline` sets one.
 * @param deadline no retry begins after it; milliseconds since 1970
 * @throws WriteTimeout
 */
export function transact<T>(session: ClientSession, deadline: number, work: () => Promise<T>): Promise<T> {
  let tries = 0;
  return session.withTransaction(() => {
    if (tries++ > 0 && Date.now() > deadline) throw new WriteTimeout(`write conflicts after ${tries} tries`);
    return work();
  });
}
