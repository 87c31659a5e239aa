import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Running } from '../../config';

/** Written atomically, so that config.ts never reads a partial file. */
export function writeRunning(root: string, addresses: Omit<Running, 'pid' | 'started_at'>): void {
  const running: Running = { ...addresses, pid: process.pid, started_at: new Date().toISOString() };
  const partial = `${fileIn(root)}.${process.pid}`;
  mkdirSync(path.dirname(partial), { recursive: true });
  writeFileSync(partial, `${JSON.stringify(running, null, 2)}\n`, { mode: 0o600 });
  renameSync(partial, fileIn(root));
}

export function removeRunning(root: string): void {
  rmSync(fileIn(root), { force: true });
}

function fileIn(root: string): string {
  return path.join(root, '.local', 'running.json');
}
