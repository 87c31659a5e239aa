import { residentMB } from '../setup/resident-memory';

const EVERY_MS = 100;

/** @returns the most memory (RSS, MB) that a process held while `work` went on; NaN where there is no /proc */
export async function mostMemoryDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  let most = 0;
  const look = () => (most = Math.max(most, memoryOf(pid)));
  const watching = setInterval(look, EVERY_MS);
  try {
    await work();
    return look();
  } finally {
    clearInterval(watching);
  }
}

/** MB; NaN where there is no /proc. */
export function memoryOf(pid: number): number {
  try {
    return residentMB(pid);
  } catch {
    return NaN;
  }
}
