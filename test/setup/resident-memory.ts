import { readFileSync } from 'node:fs';

/** MB of memory that a process holds (RSS), from Linux's /proc. */
export function residentMB(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kb) / 1_024;
}
