import type { Client } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { type ChannelClient, createChannelClient } from '../../temporal/channel-client';
import { lazyClient } from '../../temporal/connect-temporal';
import { environment } from '../../config';
import type { Store } from '../../store/store';
import { closeAtEnd } from '../setup/close-at-end';
import { WORKER_NODE_OPTIONS } from '../setup/worker-node-options';
import type { Bench } from './bench';
import { databaseUri } from './open-bench-store';
import { startServiceProcess } from './start-service-process';

export interface BenchWorker {
  pid: number;
  client: Client;
  temporal: ChannelClient;
}

/** The real worker on this store, with a task queue of its own. */
export async function startBenchWorker(bench: Bench, store: Store, namespace: string): Promise<BenchWorker> {
  const address = await bench.temporalAddress();
  const taskQueue = `bench-${randomUUID().slice(0, 8)}`;
  const env = {
    NODE_OPTIONS: WORKER_NODE_OPTIONS,
    LOG_LEVEL: 'info',
    MONGODB_URI: databaseUri(bench.mongodbUri, store.db.databaseName),
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    GDX_TASK_QUEUE: taskQueue,
    GDX_RECONCILE_SECONDS: '3600',
  };
  const process = await startServiceProcess(bench, 'worker', env);
  const client = lazyClient({ env: environment, address, namespace });
  closeAtEnd(() => client.connection.close());
  return { pid: process.pid!, client, temporal: createChannelClient(client, taskQueue) };
}
