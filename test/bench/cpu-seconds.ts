import { readFileSync } from 'node:fs';

/** Seconds of CPU that a process has used so far, from Linux's /proc. */
export function cpuSeconds(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}
