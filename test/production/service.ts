import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { keysOf } from '../setup/keys-of';
import { checkout } from '../../tools/local/checkout';
import { type Ended, runNode } from '../setup/processes';

const DIST = path.join(checkout, 'dist');

/** `gdx <words>`, with these settings and no others. */
export const gdx = (settings: Record<string, string>, ...words: string[]): Promise<Ended> =>
  runNode(['dist/cli/main.js', ...words], settings);

/** @throws Error with what it said, unless it ended with 0 */
export async function gdxAnswer<Answer>(
  settings: Record<string, string>,
  ...words: string[]
): Promise<Answer> {
  const { code, out, err } = await gdx(settings, ...words, '--json');
  if (code !== 0) throw new Error(`gdx ${words.join(' ')} ended with ${code}: ${err || out}`);
  return JSON.parse(out) as Answer;
}

export type Service = ReturnType<typeof startProductionService>;

/** The API or the worker, with these settings and no others; its output goes to `<dir>/<name>.log`. */
export function startProductionService(
  dir: string,
  name: 'api' | 'worker',
  settings: Record<string, string>,
) {
  const child = spawn(process.execPath, [path.join(DIST, name, 'main.js')], { env: keysOf(name, settings) });
  const log = createWriteStream(path.join(dir, `${name}.log`));
  for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false });
  const exit = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  return {
    name,
    metricsUrl: `http://127.0.0.1:${settings['GDX_METRICS_PORT']}`,
    readyUrl: `http://127.0.0.1:${settings[name === 'api' ? 'PORT' : 'GDX_METRICS_PORT']}/readyz`,
    /** SIGTERM. @throws Error when it does not end with 0 */
    async drain(): Promise<number> {
      const began = performance.now();
      child.kill('SIGTERM');
      const [code, signal] = await exit;
      if (code !== 0) throw new Error(`the ${name} ended with ${signal ?? code}`);
      return performance.now() - began;
    },
    kill: () => child.kill('SIGKILL'),
  };
}
