import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { WorkerVersions } from '../bell/worker-versions';

const AGAIN_MS = 500;
const CHECK_EVERY_MS = 60_000;

/**
 * Without a current version nothing that waits for a worker is given to one, not even the reconciler. So the first
 * version that polls makes itself current; every later one waits for the operator's switch.
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
    const pause = settled ? CHECK_EVERY_MS : AGAIN_MS; // Temporal can be emptied at any time (design 4)
    await setTimeout(pause, undefined, { signal: stopping, ref: false }).catch(() => {});
  }
}
