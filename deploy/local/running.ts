import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { identityOf, isAlive } from './process-birth';

/** What a running `npm start` tells `gdx` and everybody else who has no settings of his own (contract 7). */
export interface Running {
  mongodb_uri: string;
  temporal_address: string;
  temporal_namespace: string;
  temporal_ui_url?: string | undefined;
  api_url: string;
  pid: number;
  born?: string | undefined;
  started_at: string;
}

/** The running `npm start` of this checkout; undefined when there is none, or it died without a word. */
export function readRunning(root: string): Running | undefined {
  try {
    const running = JSON.parse(readFileSync(fileIn(root), 'utf8')) as Running;
    return isAlive(running) ? running : undefined;
  } catch {
    return undefined;
  }
}

/** Written whole or not at all: a reader never sees half a file. */
export function writeRunning(root: string, addresses: Omit<Running, 'pid' | 'born' | 'started_at'>): void {
  const running: Running = {
    ...addresses,
    ...identityOf(process.pid),
    started_at: new Date().toISOString(),
  };
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
