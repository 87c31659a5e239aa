import path from 'node:path';
import { checkout } from '../deploy/local/checkout';
import { OwnPart } from '../deploy/local/own-part';
import { say, secondsSince } from './terminal';

/** The API or the worker as `npm start` runs them, but for the log, which goes to a file, and the pid file. */
export async function startService(
  dir: string,
  name: 'api' | 'worker',
  env: NodeJS.ProcessEnv,
  ready: () => Promise<void>,
): Promise<OwnPart> {
  const began = Date.now();
  const part = new OwnPart({
    name,
    how: 'own',
    command: process.execPath,
    args: ['--enable-source-maps', path.join(checkout, 'dist', name, 'main.js')],
    cwd: checkout,
    env,
    output: path.join(dir, 'logs', `${name}.log`),
    pidFile: path.join(dir, `${name}.pid`),
    ready,
    graceMs: 5_000,
    log: (line) => say(`   ${line}`),
  });
  await part.start();
  say(`   ${name}: dist/${name}/main.js, process ${part.pid}, ${secondsSince(began)}`);
  return part;
}
