import type { Context } from '../http/route';
import { rateLimited } from '../http/http-error';
import { createShares } from './shares';
import { whenSentOrGone } from './when-sent-or-gone';

const ALL = '';
const WAIT_MS = 5_000;

/**
 * Bounds long reads of very many records: one at a time for each caller, and `most` at once in this process.
 * @returns a function that begins such a read, or throws HttpError RATE_LIMITED when there are too many. The
 * read counts until the answer has ended or the connection is closed; then its signal aborts
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
    whenSentOrGone(res, () => {
      reading.abort();
      ofCaller.giveBack(caller);
      ofProcess.giveBack(ALL);
    });
    return reading.signal;
  };
}
