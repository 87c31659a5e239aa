import path from 'node:path';
import type { OwnPart } from '../local/own-part';
import { startService } from '../local/start-service';
import { say, secondsSince } from './terminal';

/** Starts the API or the worker like `npm start`, but with its own log and pid files. */
export async function startDemoService(
  dir: string,
  name: 'api' | 'worker',
  env: NodeJS.ProcessEnv,
  ready: () => Promise<void>,
): Promise<OwnPart> {
  const began = Date.now();
  const output = path.join(dir, 'logs', `${name}.log`);
  const log = (line: string) => say(`   ${line}`);
  const part = await startService({ name, env, ready, log, dir, output, graceMs: 5_000 });
  say(`   ${name}: dist/${name}/main.js, process ${part.pid}, ${secondsSince(began)}`);
  return part;
}
