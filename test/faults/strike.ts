import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { eventually } from '../setup/eventually';
import type { Part } from '../../tools/local/part';
import type { Scene } from './scene';

const AWAY_MS = 2_000;
const FELT_MS = 60_000; // what it has room for already is written first
const ROOM = Buffer.alloc(4_096);

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

/** SIGSTOP, which nothing notices by itself; after `ms` it goes on as if no time had passed. */
export async function frozen({ pid }: Part, ms: number): Promise<void> {
  process.kill(pid!, 'SIGSTOP');
  await setTimeout(ms);
  process.kill(pid!, 'SIGCONT');
}

/**
 * No room is left where MongoDB keeps its data, until a push has felt it and `ms` longer; then there is, and MongoDB is
 * started anew, as it must be: mongod ends by itself.
 */
export async function filled(scene: Scene, ms: number): Promise<void> {
  const filler = path.join(scene.dir, 'mongo', 'filler');
  const failed = () => scene.erps.reduce((sum, { refused, failed }) => sum + refused + failed.length, 0);
  const before = failed();
  await eventually(() => {
    fill(filler); // it may have let go of something
    if (failed() === before) throw new Error('nobody felt the full disk');
  }, FELT_MS);
  await setTimeout(ms);
  rmSync(filler);
  await killed(scene, scene.parts.mongo);
}

function fill(file: string): void {
  const descriptor = openSync(file, 'a');
  try {
    for (;;) writeSync(descriptor, ROOM);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * A worker will be taken for dead while it lives, and what it posts then is stopped by the fence at the marker alone
 * (docs/architecture.md#commit-order, rule 3).
 */
export function takenForDead({ customers }: Scene): void {
  for (const customer of customers) customer.severalSenders = true;
}

/** Temporal's data are gone altogether, and it starts on none. */
export async function wiped(scene: Scene): Promise<void> {
  const { parts, dir, tally } = scene;
  takenForDead(scene);
  await parts.temporal.kill();
  tally.killed++;
  for (const end of ['', '-shm', '-wal']) rmSync(path.join(dir, `temporal.db${end}`), { force: true });
  await parts.temporal.start();
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
