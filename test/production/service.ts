import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { closeAtEnd } from '../setup/close-at-end';
import { keysOf } from '../setup/keys-of';
import { type Ended, runNode, startNode } from '../setup/processes';

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

/** The API or the worker, with these settings and no others; its output goes to `<dir>/<name>.log`. */
export function startProductionService(
  dir: string,
  name: 'api' | 'worker',
  settings: Record<string, string>,
) {
  closeAtEnd(() => writeFileSync(path.join(dir, `${name}.log`), lines.join('\n')));
  const { end, lines } = startNode([`dist/${name}/main.js`], keysOf(name, settings));
  return {
    name,
    metricsUrl: `http://127.0.0.1:${settings['GDX_METRICS_PORT']}`,
    readyUrl: `http://127.0.0.1:${settings[name === 'api' ? 'PORT' : 'GDX_METRICS_PORT']}/readyz`,
    /** SIGTERM. @throws Error when it does not end with 0 */
    async drain(): Promise<number> {
      const began = performance.now();
      const ended = await end();
      if (ended !== 0) throw new Error(`the ${name} ended with ${ended}`);
      return performance.now() - began;
    },
  };
}
