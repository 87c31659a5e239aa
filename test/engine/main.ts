import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { checkout } from '../../tools/local/checkout';
import { NoEngine } from './make-root';
import { startEngine } from './start-engine';

const say = (line: string) => process.stdout.write(`${line}\n`);
/** Neither holds nor fails: nothing was played. */
const NOT_PLAYED = 3;

/** `npm run proof -- engine [PATH]...`: the tests that need MongoDB, on an engine that nobody here wrote. */
async function main(paths: string[]): Promise<void> {
  const engine = await startEngine(say);
  say(`on ${engine.name}`);
  const isQuick = (process.env.GDX_TIER ?? 'quick') === 'quick'; // of the tiers it alone has tests that need no MongoDB
  const those = isQuick ? ['--selectProjects', 'parts'] : [];
  const only = paths.length > 0 ? ['--testPathPatterns', ...paths] : [];
  const jest = spawn('npx', ['jest', ...those, ...only], {
    cwd: checkout,
    stdio: 'inherit',
    env: { ...process.env, MONGODB_URI: engine.uri },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => jest.kill(signal));
  const [code] = (await once(jest, 'exit')) as [number | null];
  await engine.stop();
  process.exit(code ?? 1);
}

main(process.argv.slice(2)).catch((error: Error) => {
  const isNone = error instanceof NoEngine;
  say(isNone ? `not played, as the engine cannot be had here: ${error.message}` : `engine: ${error.stack}`);
  process.exit(isNone ? NOT_PLAYED : 1);
});
