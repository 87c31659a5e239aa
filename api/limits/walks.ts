import { finished } from 'node:stream';
import type { Context } from '../http/route';
import { rateLimited } from '../http/http-error';
import { createShares } from './shares';

const ALL = '';
const WAIT_MS = 5_000;

/**
 * Bounds walks over very many records: one at a time for a caller, and a few in a process.
 * @returns what begins one, until the answer has ended: its signal aborts with the connection. It throws HttpError RATE_LIMITED
 */
export function createWalks(
  most: number,
): (ctx: Pick<Context<object>, 'res'>, caller: string) => AbortSignal {
  const ofCaller = createShares(1);
  const ofProcess = createShares(most);
  return ({ res }, caller) => {
    if (!ofCaller.take(caller)) throw rateLimited(WAIT_MS);
    if (!ofProcess.take(ALL)) {
      ofCaller.giveBack(caller);
      throw rateLimited(WAIT_MS);
    }
    const reading = new AbortController();
    // Also where the connection has closed before: `close` is not told again.
    finished(res, () => {
      reading.abort();
      ofCaller.giveBack(caller);
      ofProcess.giveBack(ALL);
    });
    return reading.signal;
  };
}
