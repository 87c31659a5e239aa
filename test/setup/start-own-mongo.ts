import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startMongo } from '../../deploy/local/start-mongo';
import type { Part } from '../../deploy/local/part';

/** A MongoDB of the test's own, to be frozen and killed; its acknowledged writes survive that. */
export async function startOwnMongo(): Promise<{ part: Part; uri: string; stop(): Promise<void> }> {
  const dir = await mkdtemp(path.join(tmpdir(), 'gdx-mongo-'));
  await mkdir(path.join(dir, 'logs'));
  const quiet = { uri: undefined, port: 0, log: () => undefined };
  const { part, uri } = await startMongo({ dir, durable: true, ...quiet });
  return {
    part,
    uri,
    async stop() {
      await part.kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
