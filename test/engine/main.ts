import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { checkout } from '../../tools/local/checkout';
import { NoEngine } from './make-root';
import { startEngine } from './start-engine';

const say = (line: string) => process.stdout.write(`${line}\n`);
/** Neither holds nor fails: nothing was played. */
const NOT_PLAYED = 3;

/** `npm run proof -- engine [PATH]... | -- COMMAND`: the tests that need MongoDB, or a command, on an engine that nobody here wrote. */
async function main(given: string[]): Promise<void> {
  const engine = await startEngine(say);
  say(`on ${engine.name}`);
  const [command, ...args] = given[0] === '--' ? given.slice(1) : ['npx', 'jest', ...chosen(given)];
  const played = spawn(command!, args, {
    cwd: checkout,
    stdio: 'inherit',
    env: { ...process.env, MONGODB_URI: engine.uri },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => played.kill(signal));
  const [code] = (await once(played, 'exit').finally(() => engine.stop())) as [number | null];
  process.exit(code ?? 1);
}

/** What jest is told, to play the tests below these paths. */
function chosen(paths: string[]): string[] {
  const isQuick = (process.env.GDX_TIER ?? 'quick') === 'quick'; // of the tiers it alone has tests that need no MongoDB
  const those = isQuick ? ['--selectProjects', 'parts'] : [];
  const only = paths.length > 0 ? ['--testPathPatterns', ...paths] : [];
  return [...those, ...only];
}

main(process.argv.slice(2)).catch((error: Error) => {
  const isNone = error instanceof NoEngine;
  say(isNone ? `not played, as the engine cannot be had here: ${error.message}` : `engine: ${error.stack}`);
  process.exit(isNone ? NOT_PLAYED : 1);
});
