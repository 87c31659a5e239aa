import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { OwnPart } from '../../tools/local/own-part';
import { closeAtEnd } from './close-at-end';

interface Started {
  env: NodeJS.ProcessEnv;
  /** What it says goes to `<name>.log` there. */
  dir: string;
  /** One of several: its name in the log, and in what is said of it. */
  name?: string;
  /** Modules that it loads first. */
  imports?: readonly string[];
}

/** The built API or worker, as a process that can be killed and started again until the test is over. */
export async function startServicePart(
  kind: 'api' | 'worker',
  { env, dir, name = kind, imports = [] }: Started,
): Promise<OwnPart> {
  const file = path.join(dir, name.replace(' ', '-'));
  let ready = false;
  const part = new OwnPart({
    name,
    how: 'own',
    command: process.execPath,
    args: [...imports.flatMap((each) => ['--import', each]), path.join(checkout, 'dist', kind, 'main.js')],
    cwd: checkout,
    env: { ...process.env, ...env },
    // A worker says when it is ready; an API answers.
    output: (line) => {
      if (line.includes('worker ready')) ready = true;
      appendFileSync(`${file}.log`, `${line}\n`);
      if (/"level":"(error|fatal)"/.test(line)) process.stderr.write(`${name}: ${line.slice(0, 3000)}\n`);
    },
    pidFile: `${file}.pid`,
    ready: async () => {
      if (kind === 'api') ready = (await fetch(`http://127.0.0.1:${env['PORT']}/readyz`)).ok;
      if (!ready) throw new Error('it is not ready');
      ready = false;
    },
    graceMs: 40_000,
    log: () => undefined,
  });
  closeAtEnd(() => part.kill());
  await part.start();
  return part;
}
