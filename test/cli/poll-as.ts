import { isGrpcServiceError } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { lazyClient } from '../../temporal/connect-temporal';
import { createWorkerVersions } from '../../temporal/worker-versions';
import { backlogQueue, unansweredQueue } from '../../workflows/messages';
import { eventually } from '../setup/eventually';

const { WORKER_VERSIONING_MODE_VERSIONED: VERSIONED } = temporal.api.enums.v1.WorkerVersioningMode;
const POLL_MS = 30_000; // Temporal refuses short ones

/** Asks for tasks as a worker of that version would, until Temporal knows of it. */
export async function pollAs(buildId: string, env: NodeJS.ProcessEnv): Promise<void> {
  const [namespace, taskQueue] = [env.TEMPORAL_NAMESPACE ?? 'default', env.GDX_TASK_QUEUE ?? 'gdx'];
  const client = lazyClient({ env, address: env.TEMPORAL_ADDRESS ?? '', namespace });
  const known = new AbortController();
  const poll = (name: string) =>
    client.withDeadline(Date.now() + POLL_MS, () =>
      client.workflowService.pollActivityTaskQueue({
        namespace,
        taskQueue: { name },
        deploymentOptions: { deploymentName: taskQueue, buildId, workerVersioningMode: VERSIONED },
      }),
    );
  const pollOn = async (name: string) => {
    while (!known.signal.aborted) {
      await poll(name).catch((error: unknown) => {
        if (!isGrpcServiceError(error)) throw error;
      });
    }
  };
  const ended = client.withAbortSignal(known.signal, () =>
    Promise.all([taskQueue, backlogQueue(taskQueue), unansweredQueue(taskQueue)].map(pollOn)),
  );
  const versions = createWorkerVersions(client, { namespace, deploymentName: taskQueue });
  const seen = eventually(async () =>
    expect(await versions.list()).toMatchObject([{ build_id: buildId }]),
  ).finally(() => known.abort());
  await Promise.all([seen, ended]);
  await client.connection.close();
}
