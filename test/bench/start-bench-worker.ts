import type { Client } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type ChannelClient, createChannelClient } from '../../temporal/channel-client';
import { lazyClient } from '../../temporal/connect-temporal';
import { environment } from '../../config';
import type { Store } from '../../store/store';
import { WORKER_NODE_OPTIONS } from '../setup/worker-node-options';
import type { Bench } from './bench';
import { databaseUri } from './open-bench-store';
import { startServiceProcess } from './start-service-process';

export interface BenchWorker {
  pid: number;
  client: Client;
  temporal: ChannelClient;
  stop: () => Promise<void>;
}

/** The real worker on this store, with a task queue of its own. */
export async function startBenchWorker(bench: Bench, store: Store, namespace: string): Promise<BenchWorker> {
  const address = await bench.temporalAddress();
  const taskQueue = `bench-${randomUUID().slice(0, 8)}`;
  const log = path.join(bench.dir, 'worker.log');
  rmSync(log, { force: true }); // the one before was ready, too
  const ready = async () => {
    if (!readFileSync(log, 'utf8').includes('worker ready')) throw new Error('the worker is not ready');
  };
  const env = {
    NODE_OPTIONS: WORKER_NODE_OPTIONS,
    LOG_LEVEL: 'info',
    MONGODB_URI: databaseUri(bench.mongodbUri, store.db.databaseName),
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    GDX_TASK_QUEUE: taskQueue,
    GDX_RECONCILE_SECONDS: '3600',
  };
  const process = await startServiceProcess(bench, 'worker', env, ready);
  const client = lazyClient({ env: environment, address, namespace });
  return {
    pid: process.pid!,
    client,
    temporal: createChannelClient(client, taskQueue),
    async stop() {
      await process.stop();
      await client.connection.close();
    },
  };
}
