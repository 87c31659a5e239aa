import type { Client } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ChannelClient, createChannelClient } from '../../temporal/channel-client';
import { lazyClient } from '../../temporal/connect-temporal';
import { environmentFor, TASK_QUEUE } from '../../tools/demo/environment-for';
import { workerPolls } from '../../tools/demo/ready';
import { checkout } from '../../tools/local/checkout';
import { OwnPart } from '../../tools/local/own-part';
import { type Parts, startParts } from '../../tools/local/start-parts';
import { closeStore } from '../../store/connect';
import type { Store } from '../../store/store';
import { openStore } from '../setup/open-store';

const NAMESPACE = 'gdx';
const quiet = () => undefined;

/** What the pictures are taken of. */
export interface ScreenshotStage {
  store: Store;
  client: Client;
  temporal: ChannelClient;
  /** `http://127.0.0.1:8233/namespaces/gdx` */
  uiUrl: string;
  stop(): Promise<void>;
}

/** The worker's real process, on a Temporal of its own, whose UI shows nothing else. MongoDB is the given one, if any. */
export async function startScreenshotStage(): Promise<ScreenshotStage> {
  const dir = await mkdtemp(path.join(tmpdir(), 'gdx-screenshots-'));
  const mongoUri = process.env.MONGODB_URI;
  const parts = await startParts({
    dir,
    mongoUri,
    namespace: NAMESPACE,
    ports: 'any',
    durable: false,
    log: quiet,
  });
  const database = `gdx_screenshots_${randomUUID().slice(0, 8)}`;
  const own = { database, namespace: NAMESPACE, port: 0 };
  const env: NodeJS.ProcessEnv = { ...environmentFor(parts, own), GDX_METRICS_PORT: 'off' };
  const store = await openStore(env['MONGODB_URI']);
  const client = lazyClient({ env, address: parts.temporalAddress, namespace: NAMESPACE });
  const worker = await startWorkerProcess(dir, env, client);
  return {
    store,
    client,
    temporal: createChannelClient(client, TASK_QUEUE),
    uiUrl: `${parts.temporalUiUrl}/namespaces/${NAMESPACE}`,
    async stop() {
      await worker.kill(); // in the middle of a reset, on purpose
      await client.connection.close();
      await closeStore(store);
      await killOwn(parts);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function startWorkerProcess(dir: string, env: NodeJS.ProcessEnv, temporal: Client): Promise<OwnPart> {
  const worker = new OwnPart({
    name: 'worker',
    how: 'own',
    command: process.execPath,
    cwd: checkout,
    env,
    graceMs: 5_000,
    log: quiet,
    args: ['--enable-source-maps', path.join(checkout, 'dist', 'worker', 'main.js')],
    output: path.join(dir, 'logs', 'worker.log'),
    pidFile: path.join(dir, 'worker.pid'),
    ready: () => workerPolls(temporal),
  });
  await worker.start();
  return worker;
}

async function killOwn({ mongo, temporal }: Parts): Promise<void> {
  for (const part of [temporal, mongo]) if (part.how !== 'given') await part.kill();
}
