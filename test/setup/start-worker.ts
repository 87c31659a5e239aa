import { Connection, Client } from '@temporalio/client';
import { NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import pino from 'pino';
import { createActivities } from '../../activities/create-activities';
import { createAgent } from '../../activities/customer/create-agent';
import { type Bell, createBell } from '../../bell/bell';
import type { Store } from '../../store/connect';
import { createWorker } from '../../worker/create-worker';
import { ensureTemporal } from '../../worker/ensure-temporal';
import { temporalLogger } from '../../worker/temporal-logger';

export interface TestWorker {
  worker: Worker;
  client: Client;
  bell: Bell;
  taskQueue: string;
  stop(): Promise<void>;
}

// `npm test` builds before it runs.
const BUNDLE = path.join(__dirname, '../../dist/worker/workflows.bundle.js');

/** The real worker in this process, on a task queue of its own, against the Temporal of the global setup. */
export async function startWorker(store: Store): Promise<TestWorker> {
  const address = process.env.TEMPORAL_ADDRESS ?? '';
  const namespace = process.env.TEMPORAL_NAMESPACE ?? 'gdx-test';
  const taskQueue = `test-${randomUUID().slice(0, 8)}`;
  const log = pino({ level: 'silent' });
  installRuntime();
  const clientConnection = await Connection.connect({ address });
  const client = new Client({ connection: clientConnection, namespace });
  await ensureTemporal(client, { namespace, taskQueue, reconcileEveryMs: 3_600_000 });
  const connection = await NativeConnection.connect({ address });
  const bell = createBell(client, taskQueue);
  const agent = createAgent();
  const worker = await createWorker({
    connection,
    namespace,
    taskQueue,
    workflowBundle: { codePath: BUNDLE },
    activities: createActivities({ store, bell, agent, log, retentionDays: 1, draining: () => false }),
  });
  const running = worker.run();
  return {
    worker,
    client,
    bell,
    taskQueue,
    async stop() {
      worker.shutdown();
      await running;
      await connection.close();
      await clientConnection.close();
      await agent.close();
    },
  };
}

let installed = false;
// One Runtime a process.
function installRuntime(): void {
  if (installed) return;
  Runtime.install({ shutdownSignals: [], logger: temporalLogger(pino({ level: 'silent' })) });
  installed = true;
}
