import { setTimeout } from 'node:timers/promises';
import type { Part } from '../../deploy/local/part';
import type { Scene } from './scene';

const AWAY_MS = 2_000;

/** SIGTERM, until it has ended by itself; then it is started again. */
export async function rolled({ tally }: Scene, part: Part): Promise<void> {
  await part.stop();
  tally.stopped++;
  await part.start();
  tally.added++;
}

/** kill -9; after `awayMs` it is started again. */
export async function killed({ tally }: Scene, part: Part, awayMs = 0): Promise<void> {
  await part.kill();
  tally.killed++;
  await setTimeout(awayMs);
  await part.start();
  tally.added++;
}

/** Takes it away and does not wait until it is back. */
export function strike(scene: Scene, part: Part, signal: 'SIGKILL' | 'SIGTERM'): void {
  const back = signal === 'SIGKILL' ? killed(scene, part, Math.random() * AWAY_MS) : rolled(scene, part);
  const done = back.then(() => void scene.away.delete(part));
  done.catch(() => undefined); // waited for when the rounds are over
  scene.away.set(part, done);
}

/** The APIs and workers that can be spared: one of each always stands. */
export function standing({ apis, workers, away }: Scene): Part[] {
  return [apis, workers]
    .map((parts) => parts.filter((part) => !away.has(part)))
    .flatMap((parts) => (parts.length > 1 ? parts : []));
}

export const oneAtRandom = <T>(list: T[]): T | undefined => list[Math.floor(Math.random() * list.length)];
