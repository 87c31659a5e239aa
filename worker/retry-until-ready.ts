import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StoreMismatch } from '../store/store-mismatch';

const PAUSE_MS = 2_000;

/** Calls until it succeeds: a process that starts before its dependencies waits for them and logs it. */
export async function retryUntilReady<T>(
  log: Logger,
  part: string,
  stopping: AbortSignal,
  call: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      stopping.throwIfAborted();
      if (error instanceof StoreMismatch) throw error; // retrying does not help
      log.warn({ reason: (error as Error).message }, `${part} does not answer yet`);
      await setTimeout(PAUSE_MS, undefined, { signal: stopping });
    }
  }
}
