import { setImmediate } from 'node:timers/promises';

/** The most CPU time of this process that a bad input may cost. What other programs do meanwhile does not count. */
export const MOST_CPU_MS = 1_000;

// Node 24 tells that of the thread alone, without what collects garbage beside it.
const usage: typeof process.cpuUsage =
  (process as { threadCpuUsage?: typeof process.cpuUsage }).threadCpuUsage ?? process.cpuUsage;

/** @returns the result, and the CPU time that this process has taken meanwhile */
export async function withCpuTime<T>(act: () => Promise<T>): Promise<{ result: T; cpuMs: number }> {
  const began = usage();
  const result = await act();
  const { user, system } = usage(began);
  return { result, cpuMs: (user + system) / 1_000 };
}

/** The most CPU time that passes while `act` lets nothing else of this process have its turn, in milliseconds. */
export async function longestTurn(act: () => Promise<unknown>): Promise<number> {
  let [longest, ended] = [0, false];
  const others = async () => {
    while (!ended) longest = Math.max(longest, (await withCpuTime(() => setImmediate())).cpuMs);
  };
  const watched = others();
  await act();
  ended = true;
  await watched;
  return longest;
}
