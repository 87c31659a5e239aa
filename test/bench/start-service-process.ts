import path from 'node:path';
import { environment } from '../../config';
import { checkout } from '../../tools/local/checkout';
import { OwnPart } from '../../tools/local/own-part';
import type { Bench } from './bench';

/** The API or the worker as built, in a process of its own, of another checkout where one is given. Its output goes to a file in the bench's folder. */
export async function startServiceProcess(
  bench: Bench,
  name: 'api' | 'worker',
  env: Record<string, string>,
  ready: () => Promise<void>,
  number = 0,
  from = checkout,
): Promise<OwnPart> {
  const file = path.join(bench.dir, number === 0 ? name : `${name}-${number}`);
  const part = new OwnPart({
    name,
    how: 'own',
    command: process.execPath,
    args: [path.join(from, 'dist', name, 'main.js')],
    cwd: from,
    env: { ...environment, LOG_LEVEL: 'warn', GDX_METRICS_PORT: '0', ...env },
    output: `${file}.log`,
    pidFile: `${file}.pid`,
    ready,
    graceMs: 5_000,
    log: bench.note,
  });
  await part.start();
  return part;
}
