import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

let own: ChildProcess | undefined;

/**
 * Docker for a run of the tests: the engine that answers on this machine, or one of its own, which ends with this process.
 * Programs that are started from now on find it by DOCKER_HOST.
 */
export async function startEngine(): Promise<void> {
  if (spawnSync('docker', ['version']).status !== 0) await startOwnEngine();
}

/** @param options those of engine.sh */
export async function startOwnEngine(...options: string[]): Promise<void> {
  // detached: Ctrl-C ends the tests, and then the engine in good order
  const engine = spawn(path.join(__dirname, 'engine.sh'), options, {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  own = engine;
  const ended = once(engine, 'close').then(() => undefined);
  const said = await Promise.race([once(engine.stdout, 'data'), ended]);
  if (!said) throw new Error('no Docker engine answers, and none could be started: see above');
  process.env.DOCKER_HOST = String(said[0]).trim();
}

/** Ends what `startEngine` has started. */
export async function stopEngine(): Promise<void> {
  if (!own) return;
  own.stdin?.end();
  await once(own, 'close');
}
