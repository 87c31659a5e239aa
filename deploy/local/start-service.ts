import path from 'node:path';
import { checkout, localDir } from './checkout';
import { OwnPart } from './own-part';
import { renderLine } from './render-line';

/** The API or the worker, as a process of its own from dist/, its output shown line by line. */
export async function startService(options: {
  name: 'api' | 'worker';
  env: NodeJS.ProcessEnv;
  ready: () => Promise<void>;
  log: (line: string) => void;
}): Promise<OwnPart> {
  const { name, env, ready, log } = options;
  const part = new OwnPart({
    name,
    how: 'own',
    command: process.execPath,
    args: ['--enable-source-maps', path.join(checkout, 'dist', name, 'main.js')],
    cwd: checkout,
    env,
    output: (line) => log(`${name.padEnd(6)} | ${renderLine(line)}`),
    pidFile: path.join(localDir, `${name}.pid`),
    ready,
    graceMs: 30_000,
    log,
  });
  await part.start();
  return part;
}
