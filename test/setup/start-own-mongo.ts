import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startMongo, type StartedMongo } from '../../tools/local/start-mongo';
import { closeAtEnd } from './close-at-end';
import type { Part } from '../../tools/local/part';

/** A MongoDB of the test's own, to be frozen and killed; its acknowledged writes survive that. */
export async function startOwnMongo(): Promise<{ part: Part; uri: string }> {
  const dir = await mkdtemp(path.join(tmpdir(), 'gdx-mongo-'));
  const { part, uri } = await startMongoIn(dir, { durable: true });
  closeAtEnd(async () => {
    await part.kill();
    await rm(dir, { recursive: true, force: true });
  });
  return { part, uri };
}

/** Another MongoDB beside the one of the parts, on any free port, with its data and logs in a folder. */
export async function startMongoIn(dir: string, { durable }: { durable: boolean }): Promise<StartedMongo> {
  await mkdir(path.join(dir, 'logs'), { recursive: true });
  return startMongo({ dir, durable, uri: undefined, port: 0, log: () => undefined });
}
