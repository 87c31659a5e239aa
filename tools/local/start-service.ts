import path from 'node:path';
import { checkout, localDir } from './checkout';
import { OwnPart, type Recipe } from './own-part';
import { renderLine } from './render-line';

interface ServiceOptions extends Pick<Recipe, 'ready' | 'log'>, Partial<Pick<Recipe, 'output' | 'graceMs'>> {
  name: 'api' | 'worker';
  env: NodeJS.ProcessEnv;
  /** Where the pid file goes. */
  dir?: string;
}

/** The API or the worker, as a process of its own from dist/; its output is shown line by line unless it goes elsewhere. */
export async function startService(options: ServiceOptions): Promise<OwnPart> {
  const { name, log, dir = localDir, ...rest } = options;
  const part = new OwnPart({
    how: 'own',
    command: process.execPath,
    args: ['--enable-source-maps', path.join(checkout, 'dist', name, 'main.js')],
    cwd: checkout,
    output: (line) => log(`${name.padEnd(6)} | ${renderLine(line)}`),
    pidFile: path.join(dir, `${name}.pid`),
    graceMs: 30_000,
    name,
    log,
    ...rest,
  });
  await part.start();
  return part;
}
