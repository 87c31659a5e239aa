import { MongoClient } from 'mongodb';
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { localDir } from '../../tools/local/checkout';
import type { Part } from '../../tools/local/part';
import { stopLeftover } from '../../tools/local/leftover';
import { isAlive } from '../../tools/local/process-birth';
import type { StartedMongo } from '../../tools/local/start-mongo';
import { type Parts, startParts } from '../../tools/local/start-parts';
import { startStrictWire, type StrictWire } from '../strict/strict-wire';
import { startMongoIn } from './start-own-mongo';

const RUNS = path.join(localDir, 'test');
const NAMESPACE = 'gdx-test';

// One folder a run: two runs in one checkout do not meet, and each begins empty.
const dir = path.join(RUNS, String(process.pid));
let parts: Parts | undefined;
let moreMongos: Part[] = [];
const wires: StrictWire[] = [];

/**
 * The real parts for one run of the tests, on free ports; those given in the environment are used as they are. Every
 * worker of jest has a MongoDB of its own: a stand-in in Python serves one request at a time.
 */
export async function startTestParts(workers = 1): Promise<void> {
  await removeDeadRuns();
  parts = await startParts({
    dir,
    namespace: process.env.TEMPORAL_NAMESPACE || NAMESPACE,
    mongoUri: process.env.MONGODB_URI,
    temporalAddress: process.env.TEMPORAL_ADDRESS,
    ports: 'any',
    durable: false, // tests that kill a part start one of their own
    log: (line) => console.log(line),
  });
  const more = parts.mongo.how === 'given' ? [] : await startMongos(workers - 1);
  moreMongos = more.map(({ part }) => part);
  const servers = [parts.mongodbUri, ...more.map(({ uri }) => uri)];
  const uris = process.env.GDX_STRICT ? await Promise.all(servers.map(strictly)) : servers;
  process.env.GDX_TEST_MONGODB_URIS = uris.join(' ');
  process.env.MONGODB_URI = uris[0];
  process.env.GDX_TEST_DIR = dir;
  process.env.GDX_TEST_RUN = `gdx_test_${process.pid}`;
  process.env.GDX_TEST_MONGODB_NAME = parts.mongodbName;
  process.env.TEMPORAL_ADDRESS = parts.temporalAddress;
  process.env.TEMPORAL_NAMESPACE ||= NAMESPACE;
}

/**
 * Nobody needs the data any more: kill -9 is the fastest way to stop. The databases of a MongoDB that was given are
 * dropped now, not by each test at its end: a drop waits for a transaction that was left open, on secantusd-rs for ever.
 */
export async function stopTestParts(): Promise<void> {
  if (parts?.mongo.how === 'given') await dropDatabases(parts.mongodbUri, `${process.env.GDX_TEST_RUN}_`);
  for (const wire of wires) await wire.stop();
  for (const part of [parts?.temporal, parts?.mongo, ...moreMongos]) {
    if (part && part.how !== 'given') await part.kill();
  }
  await rm(dir, { recursive: true, force: true });
}

async function strictly(uri: string): Promise<string> {
  const wire = await startStrictWire({ upstream: new URL(uri).host });
  wires.push(wire);
  return wire.uri;
}

function startMongos(count: number): Promise<StartedMongo[]> {
  const dirs = Array.from({ length: count }, (_, index) => path.join(dir, `mongo-of-worker-${index + 2}`));
  return Promise.all(dirs.map((own) => startMongoIn(own, { durable: false })));
}

async function dropDatabases(uri: string, prefix: string): Promise<void> {
  const client = await MongoClient.connect(uri);
  const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
  for (const { name } of databases) if (name.startsWith(prefix)) await client.db(name).dropDatabase();
  await client.close();
}

async function removeDeadRuns(): Promise<void> {
  for (const run of existsSync(RUNS) ? readdirSync(RUNS) : []) {
    if (isAlive({ pid: Number(run) })) continue;
    for (const file of readdirSync(path.join(RUNS, run), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.pid')) continue;
      await stopLeftover(path.join(RUNS, run, file), `${file} of test run ${run}`, console.log);
    }
    await rm(path.join(RUNS, run), { recursive: true, force: true });
  }
}
