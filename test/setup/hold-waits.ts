import timers, { setImmediate } from 'node:timers/promises';

/** The waits of the code under test: each ends when the test says so, or is aborted. For `jest.restoreAllMocks` afterwards. */
export function holdWaits() {
  const waits: { ms: number; end: () => void }[] = [];
  jest.spyOn(timers, 'setTimeout').mockImplementation(
    (ms = 0, value, { signal } = {}) =>
      new Promise((done, fail) => {
        if (signal?.aborted) return fail(signal.reason as Error);
        signal?.addEventListener('abort', () => fail(signal.reason as Error));
        waits.push({ ms, end: () => done(value as never) });
      }),
  );
  return {
    /** Ends the wait that the code has come to. @returns its milliseconds */
    async pass(): Promise<number> {
      await setImmediate();
      const wait = waits.shift();
      if (!wait) throw new Error('the code waits for nothing');
      wait.end();
      await setImmediate();
      return wait.ms;
    },
  };
}
