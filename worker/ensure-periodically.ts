import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StoreMismatch } from '../store/store-mismatch';
import type { Missing } from '../temporal/ensure-temporal';

const EVERY_MS = 60_000;

/** Calls `ensure` once a minute, so that even an emptied Temporal is set up again. */
export async function ensurePeriodically(
  ensure: () => Promise<void>,
  log: Logger,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    await setTimeout(EVERY_MS, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (stopping.aborted) return;
    await ensure().catch((error: Error) =>
      log.warn({ reason: error.message }, 'Temporal could not be checked'),
    );
  }
}

/** Makes a function that logs missing parts when they change, and not every minute. */
export function createMissingLogger(log: Logger): (missing: Missing[]) => void {
  let logged = '[]';
  return (missing) => {
    if (logged === JSON.stringify(missing)) return;
    logged = JSON.stringify(missing);
    for (const one of missing)
      log.warn(
        one,
        'this worker may not set up all of Temporal: someone with permission must run the command',
      );
    if (missing.length === 0) log.info('Temporal is completely set up');
  };
}

const PAUSE_MS = 2_000;

/** Repeats a call until it succeeds. A process that starts before its dependencies waits for them and logs it. */
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
