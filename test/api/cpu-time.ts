/** The most CPU time of this process that a bad input may cost. What other programs do meanwhile does not count. */
export const MOST_CPU_MS = 1_000;

/** @returns the result, and the CPU time that this process has taken meanwhile */
export async function withCpuTime<T>(act: () => Promise<T>): Promise<{ result: T; cpuMs: number }> {
  const began = process.cpuUsage();
  const result = await act();
  const { user, system } = process.cpuUsage(began);
  return { result, cpuMs: (user + system) / 1_000 };
}
