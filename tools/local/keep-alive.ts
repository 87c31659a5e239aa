import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from './part';

const SHORTEST_MS = 1_000;
const LONGEST_MS = 15_000;
const HEALTHY_MS = 30_000;

/** Restarts a part whenever it dies, with a backoff of 1 s to 15 s, until `stopping` is aborted. */
export async function keepAlive(
  part: Part,
  log: (line: string) => void,
  stopping: AbortSignal,
): Promise<void> {
  let pauseMs = SHORTEST_MS;
  for (;;) {
    const began = Date.now();
    const reason = await part.gone();
    if (Date.now() - began > HEALTHY_MS) pauseMs = SHORTEST_MS;
    if (stopping.aborted) return;
    log(`${part.name} ended (${reason}); starting it again in ${pauseMs / 1_000} s`);
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    pauseMs = Math.min(pauseMs * 2, LONGEST_MS);
    await part.start().then(
      () => log(`${part.name} runs again`),
      (error: Error) => log(error.message),
    );
  }
}
