import { setTimeout } from 'node:timers/promises';
import type { Context, RequestState } from '../http/route';
import { HttpError, rateLimited } from '../http/http-error';
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

/** The long reads that the keys of channels open share one budget. */
export const beginChannelsWalk = createWalks(4);

// So many records that a digest passes cost as much time as an ordinary request.
export const WALKED_OF_REQUEST = 100;

/**
 * Counts the records of a walk as it passes them (docs/contract.md A10). A walk that uses up the minute of its caller goes on to its
 * end: the next requests wait.
 */
export function chargeWalk({ charge }: Pick<RequestState, 'charge'>): (records: number) => Promise<void> {
  let passed = 0;
  return async (records) => {
    passed += records;
    try {
      await charge?.(passed / WALKED_OF_REQUEST);
    } catch (error) {
      if (!(error instanceof HttpError && error.code === 'RATE_LIMITED')) throw error;
    }
  };
}

const RESTS = 3;

/** A walk that takes at most a quarter of a core: after each step it rests three times as long as the process was busy with it. */
export async function* paced<T>(
  walk: AsyncIterable<T>,
  rest: (ms: number) => Promise<unknown> = setTimeout,
): AsyncGenerator<T> {
  let [began, before] = [performance.now(), process.cpuUsage()];
  for await (const step of walk) {
    const { user, system } = process.cpuUsage(before);
    const busyMs = Math.min((user + system) / 1_000, performance.now() - began);
    yield step;
    await rest(RESTS * busyMs);
    [began, before] = [performance.now(), process.cpuUsage()];
  }
}
