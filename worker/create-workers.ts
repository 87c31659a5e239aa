import { type NativeConnection, Worker, type WorkerDeploymentOptions } from '@temporalio/worker';
import type { Activities } from '../activities/create-activities';
import { backlogQueue } from '../workflows/messages';

export interface WorkerSettings {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  activities: Activities;
  workflowBundle: { codePath: string } | { code: string };
  /** The version of the code, where an operator decides which version gets the tasks (docs/deploy.md). */
  buildId?: string | undefined;
}

/**
 * The workers of one process: one for the loops of all channels and the first pages of every delivery, and one for what
 * takes longer. Long backlogs and slow customers hold none of the first one's places (delivery, "Isolation").
 * Together they post up to 64 pages at once.
 */
export async function createWorkers(settings: WorkerSettings): Promise<Worker[]> {
  const { workflowBundle, buildId, ...rest } = settings;
  const shared = {
    ...rest,
    shutdownGraceTime: '30 seconds',
    // A cancelled attempt hears of it with its next heartbeat.
    maxHeartbeatThrottleInterval: '2 seconds',
    defaultHeartbeatThrottleInterval: '2 seconds',
    ...(buildId ? { workerDeploymentOptions: versioned(settings.taskQueue, buildId) } : {}),
  } as const;
  const loops = await Worker.create({
    ...shared,
    workflowBundle,
    maxConcurrentActivityTaskExecutions: 48,
    maxCachedWorkflows: 500,
    // A lost worker's loops move on this soon.
    stickyQueueScheduleToStartTimeout: '5 seconds',
  });
  const backlogs = await Worker.create({
    ...shared,
    taskQueue: backlogQueue(settings.taskQueue),
    maxConcurrentActivityTaskExecutions: 16,
  });
  return [loops, backlogs];
}

/**
 * Both workers are one version: a delivery's later parts run on the code that its first one ran on. No workflow is
 * pinned: one that waits for a customer until the next cadence would need its old worker that long.
 */
function versioned(deploymentName: string, buildId: string): WorkerDeploymentOptions {
  return {
    useWorkerVersioning: true,
    version: { deploymentName, buildId },
    defaultVersioningBehavior: 'AUTO_UPGRADE',
  };
}
