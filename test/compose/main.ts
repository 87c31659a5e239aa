import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Cleanup } from '../../tools/demo/cleanup';
import { interruption } from '../../tools/demo/interruption';
import { startOwnEngine, stopEngine } from '../docker/engine';
import { Findings } from '../production/findings';
import { inOwnNamespace, runProgram } from '../setup/own-namespace';
import { buildImages, type Images } from './build-images';
import { checkStack } from './check-stack';
import { Stack } from './stack';

const INSIDE = 'in-own-network';
const NEED = path.join(__dirname, '..', 'docker', 'need.sh');
const say = (line: string) => process.stdout.write(`${line}\n`);

interface Play {
  images: Images;
  /** The upgrade alone. */
  upgrade: boolean;
}

/**
 * `npm run proof -- compose [--upgrade] [REVISION]`: docker-compose.yml in containers, in a network of its own, from the image of
 * REVISION (the commit before this one) to that of this checkout.
 */
async function main(): Promise<void> {
  if (process.argv[2] === INSIDE) return inside(JSON.parse(process.argv[3]!) as Play);
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { upgrade: { type: 'boolean', default: false } },
  });
  runProgram([NEED, 'docker-compose', 'docker-compose'], 'docker-compose is missing');
  await startOwnEngine(); // what has to be fetched can only be fetched out here
  const images = await buildImages(positionals[0] ?? 'HEAD~1', say).finally(stopEngine);
  const play: Play = { images, upgrade: values.upgrade };
  process.exitCode = await inOwnNamespace('n', [__filename, INSIDE, JSON.stringify(play)], 'this-root');
}

async function inside({ images, upgrade }: Play): Promise<void> {
  const [cleanup, findings, began] = [new Cleanup(), new Findings(say), Date.now()];
  let failed = true;
  try {
    runProgram(['ip', 'link', 'set', 'lo', 'up'], 'the `ip` program cannot set up a network');
    const folder = await mkdtemp(path.join(tmpdir(), 'gdx-compose-'));
    cleanup.add(() => rm(folder, { recursive: true }));
    await startOwnEngine('--networks');
    cleanup.add(stopEngine);
    const stack = new Stack(images, folder);
    cleanup.add(async (badly) => {
      if (badly) say(await stack.compose('logs', '--no-color', '--tail', '60'));
    });
    await Promise.race([checkStack(stack, findings, upgrade), interruption()]);
    failed = !findings.allHold;
  } finally {
    await cleanup.run(failed);
  }
  say(`\n${findings.table()}`);
  say(`${failed ? 'not all of it holds' : 'all of it holds'}; ${Math.round((Date.now() - began) / 1_000)} s`);
  process.exit(failed ? 1 : 0); // an interrupted check may still be waiting for something
}

main().catch((error: Error) => {
  say(`compose: ${error.message}`);
  process.exit(1);
});
