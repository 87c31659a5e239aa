import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { request } from 'undici';
import { environment } from '../../config';
import { checkout } from '../../tools/local/checkout';
import { OwnPart } from '../../tools/local/own-part';
import { closeAtEnd } from '../setup/close-at-end';
import type { Bench } from './bench';

/** The API or the worker as built, in a process of its own, of another checkout where one is given. Its output goes to a file in the bench's folder. */
export async function startServiceProcess(
  bench: Bench,
  name: 'api' | 'worker',
  env: Record<string, string>,
  number = 0,
  from = checkout,
): Promise<OwnPart> {
  const file = path.join(bench.dir, number === 0 ? name : `${name}-${number}`);
  rmSync(`${file}.log`, { force: true }); // the one before was ready, too
  const part = new OwnPart({
    name,
    how: 'own',
    command: process.execPath,
    args: [path.join(from, 'dist', name, 'main.js')],
    cwd: from,
    env: { ...environment, LOG_LEVEL: 'warn', GDX_METRICS_PORT: '0', ...env },
    output: `${file}.log`,
    pidFile: `${file}.pid`,
    ready: () => (name === 'api' ? answers(env['PORT']!) : polls(`${file}.log`)),
    graceMs: 5_000,
    log: bench.note,
  });
  await part.start();
  closeAtEnd(() => part.stop());
  return part;
}

async function answers(port: string): Promise<void> {
  const { statusCode, body } = await request(`http://127.0.0.1:${port}/readyz`);
  await body.dump();
  if (statusCode !== 200) throw new Error(`/readyz answers ${statusCode}`);
}

async function polls(log: string): Promise<void> {
  if (!readFileSync(log, 'utf8').includes('worker ready')) throw new Error('the worker is not ready');
}
