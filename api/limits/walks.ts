import { finished } from 'node:stream';
import type { Context } from '../http/route';
import { rateLimited } from '../http/http-error';
import { createShares } from './shares';

const ALL = '';
const WAIT_MS = 5_000;

/**
 * Bounds long reads of very many records: one at a time for each caller, and `most` at once in this process.
 * @returns a function that begins such a read. It throws HttpError RATE_LIMITED where another one is in the way; otherwise the read
 * counts until the answer has ended, and its signal aborts when the connection closes
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
    // `finished` also runs if the connection is closed already. A `close` event would not.
    finished(res, () => {
      reading.abort();
      ofCaller.giveBack(caller);
      ofProcess.giveBack(ALL);
    });
    return reading.signal;
  };
}
