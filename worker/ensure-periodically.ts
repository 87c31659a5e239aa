import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
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

/** @returns a function that logs what is missing when that changes, not every minute */
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
