import { setTimeout } from 'node:timers/promises';

/** Waits until `check` passes; its last failure is the test's. */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = 120_000): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await setTimeout(50);
    }
  }
}
