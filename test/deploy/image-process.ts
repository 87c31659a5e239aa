import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const started: ChildProcess[] = [];

export interface ImageProcess {
  child: ChildProcess;
  output: () => string;
  /** Its exit code. */
  ended: Promise<number | null>;
}

/** What a container would run: the entry point with a command, in the image's /app, with this environment and no other. */
export function runImage(app: string, command: string[], env: Record<string, string>): ImageProcess {
  const main = path.join(app, 'dist', 'deploy', 'image', 'main.js');
  const child = spawn(process.execPath, [main, ...command], {
    cwd: app,
    env: { PATH: process.env.PATH, ...env },
  });
  started.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return { child, output: () => output, ended: once(child, 'close').then(([code]) => code as number | null) };
}

export function killAll(): void {
  for (const child of started.splice(0)) child.kill('SIGKILL');
}
