import { rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { environment } from '../../config';
import { stopLeftover } from '../../tools/local/leftover';
import { startMongo } from '../../tools/local/start-mongo';
import { startBenchProcess } from './start-bench-process';
import { startTemporal, type StartedTemporal } from '../../tools/local/start-temporal';

export interface BenchParts {
  mongodbUri: string;
  /** What MongoDB calls itself, such as `mongod 8.0.4`. */
  server: string;
  sinkUrl: string;
  temporalAddress: () => Promise<string>;
  stop: () => Promise<void>;
}

// Once a minute secantusd-rs decodes every document of each collection that has a TTL index, and holds the lock that every push waits
// for; mongod asks the index. Nothing that a benchmark writes is old enough to expire.
const NO_TTL_SWEEP = '[storage]\nttl_sweep_seconds = 0\n';
// Beyond 100,000 writes it removes the oldest ones from its oplog, a thousand at a time; the oplog of mongod has gigabytes.
const LONG_OPLOG = '[oplog]\nmax_entries = 100000000\n';

/** The real parts on free ports, writing through to the disk; those given in the environment are used as they are. */
export async function startBenchParts(dir: string, log: (line: string) => void): Promise<BenchParts> {
  for (const name of ['api', 'worker', 'mongo', 'temporal']) {
    await stopLeftover(path.join(dir, `${name}.pid`), name, log);
  }
  rmSync(dir, { recursive: true, force: true });
  await mkdir(path.join(dir, 'logs'), { recursive: true });
  await writeFile(path.join(dir, 'secantusd.toml'), NO_TTL_SWEEP + LONG_OPLOG);
  const mongo = await startMongo({ dir, uri: environment['MONGODB_URI'], port: 0, durable: true, log });
  const sink = await startBenchProcess<number>('sink-process');
  let temporal: Promise<StartedTemporal> | undefined;
  const startOnce = () =>
    (temporal ??= startTemporal({
      dir,
      address: environment['TEMPORAL_ADDRESS'],
      ports: { server: 0, ui: 0 },
      durable: true,
      namespace: 'gdx-bench',
      log,
    }));
  return {
    mongodbUri: mongo.uri,
    server: mongo.name,
    sinkUrl: `http://127.0.0.1:${sink.told}`,
    temporalAddress: async () => (await startOnce()).address,
    async stop() {
      sink.stop();
      await (await temporal)?.part.stop();
      await mongo.part.stop();
    },
  };
}
