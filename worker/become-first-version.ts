import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { WorkerVersions } from '../temporal/worker-versions';

const AGAIN_MS = 500;
const CHECK_EVERY_MS = 60_000;

/**
 * Makes this version current if none has ever been. Without a current version Temporal dispatches no task, not even the
 * reconciler's. Later versions wait for an operator's switch.
 */
export async function becomeFirstVersion(
  versions: WorkerVersions,
  buildId: string,
  log: Logger,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    const settled = await versions.makeFirst(buildId).catch((error: Error) => {
      log.warn({ reason: error.message }, 'the current version of the workers could not be checked');
      return false;
    });
    const pause = settled ? CHECK_EVERY_MS : AGAIN_MS; // Temporal can be emptied at any time
    await setTimeout(pause, undefined, { signal: stopping, ref: false }).catch(() => {});
  }
}
