import { Connection, Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import pino from 'pino';
import { type Activities, createActivities } from '../../activities/create-activities';
import type { AlertDeps } from '../../activities/send-alert';
import { closeAtEnd } from './close-at-end';
import { loopbackAgent } from './loopback-agent';
import { type ChannelClient, createChannelClient } from '../../temporal/channel-client';
import type { Store } from '../../store/store';
import { createWorkers } from '../../worker/create-workers';
import { ensureTemporal } from '../../temporal/ensure-temporal';
import { quietRuntime } from './quiet-runtime';

export interface TestWorker {
  client: Client;
  temporal: ChannelClient;
  taskQueue: string;
}

// `npm test` builds before it runs.
const BUNDLE = path.join(__dirname, '../../dist/worker/workflows.bundle.js');

/** The real worker in this process, on a task queue of its own, against the Temporal of the global setup. */
export async function startWorker(
  store: Store,
  {
    alertWebhook,
    around = (activities) => activities,
  }: Pick<AlertDeps, 'alertWebhook'> & {
    /** What the worker does instead of its activities. */
    around?: (activities: Activities) => Activities;
  } = {},
): Promise<TestWorker> {
  const address = process.env.TEMPORAL_ADDRESS ?? '';
  const namespace = process.env.TEMPORAL_NAMESPACE ?? 'gdx-test';
  const taskQueue = `test-${randomUUID().slice(0, 8)}`;
  const log = pino({ level: 'silent' });
  quietRuntime();
  const clientConnection = await Connection.connect({ address });
  const client = new Client({ connection: clientConnection, namespace });
  await ensureTemporal(client, { namespace, taskQueue, reconcileEveryMs: 3_600_000 });
  const connection = await NativeConnection.connect({ address });
  const temporal = createChannelClient(client, taskQueue, 20_000);
  const agent = loopbackAgent();
  const workers = await createWorkers({
    connection,
    namespace,
    taskQueue,
    workflowBundle: { codePath: BUNDLE },
    activities: around(
      createActivities({
        store,
        temporal,
        agent,
        log,
        alertWebhook,
        retentionDays: 1,
        draining: () => false,
      }),
    ),
  });
  const running = Promise.all(workers.map((worker) => worker.run()));
  closeAtEnd(async () => {
    for (const worker of workers) worker.shutdown();
    await running;
    await connection.close();
    await clientConnection.close();
  });
  return { client, temporal, taskQueue };
}
