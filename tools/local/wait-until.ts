import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Tries until `attempt` does not throw.
 * @throws the last error once `timeoutMs` have passed, or `signal` is aborted.
 */
export async function waitUntil(
  attempt: () => Promise<void>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline || signal?.aborted) throw error;
      await sleep(100);
    }
  }
}
