import type { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { closeAtEnd } from '../setup/close-at-end';
import { quietRuntime } from '../setup/quiet-runtime';
import { goSignal } from './bare-workflow';

const WORKFLOWS = path.join(checkout, 'dist/test/bench/bare-workflow.js');

export interface BareWorker {
  /** Signals the workflow. Resolves when its activity begins. */
  trip: () => Promise<void>;
}

/** The least that Temporal needs from a signal to an activity, in this process. */
export async function startBareWorker(address: string, client: Client): Promise<BareWorker> {
  quietRuntime();
  const { namespace } = client.options;
  const taskQueue = `bare-${randomUUID().slice(0, 8)}`;
  const connection = await NativeConnection.connect({ address });
  let arrived = () => {};
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowsPath: WORKFLOWS,
    activities: { answer: async () => arrived() },
  });
  const running = worker.run();
  const handle = await client.workflow.start('bare', { taskQueue, workflowId: taskQueue });
  closeAtEnd(async () => {
    await handle.terminate();
    worker.shutdown();
    await running;
    await connection.close();
  });
  return {
    async trip() {
      const begun = new Promise<void>((resolve) => (arrived = resolve));
      await handle.signal(goSignal);
      await begun;
    },
  };
}
