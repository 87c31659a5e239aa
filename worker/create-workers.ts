import { type NativeConnection, Worker, type WorkerDeploymentOptions } from '@temporalio/worker';
import type { Activities } from '../activities/create-activities';
import { backlogQueue, unansweredQueue } from '../workflows/messages';

interface WorkerSettings {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  activities: Activities;
  workflowBundle: { codePath: string } | { code: string };
  /** The version of the code, where an operator decides which version gets the tasks (docs/deploy.md). */
  version?: { deploymentName: string; buildId: string } | undefined;
}

// Concurrent activities per queue. A hanging customer's first attempt runs in the first queue, where a hundred of
// them must leave slots for others (docs/decisions/0012).
const SLOTS = { first: 160, backlog: 32, unanswered: 16 };

/**
 * The workers of one process, one per task queue: the loops of all channels and the first slice of every delivery;
 * later slices; and customers that did not answer. Long backlogs and hanging customers occupy no slot of the first.
 */
export async function createWorkers(settings: WorkerSettings): Promise<Worker[]> {
  const { workflowBundle, version, ...rest } = settings;
  const shared = {
    ...rest,
    shutdownGraceTime: '30 seconds',
    // A cancelled activity learns of it with its next heartbeat.
    maxHeartbeatThrottleInterval: '1 second',
    defaultHeartbeatThrottleInterval: '1 second',
    ...(version ? { workerDeploymentOptions: versioned(version) } : {}),
  } as const;
  const loops = await Worker.create({
    ...shared,
    workflowBundle,
    maxConcurrentActivityTaskExecutions: SLOTS.first,
    maxCachedWorkflows: 500,
    // A lost worker's workflows move to another one after this.
    stickyQueueScheduleToStartTimeout: '2 seconds',
  });
  const backlogs = await Worker.create({
    ...shared,
    taskQueue: backlogQueue(settings.taskQueue),
    maxConcurrentActivityTaskExecutions: SLOTS.backlog,
  });
  const unanswered = await Worker.create({
    ...shared,
    taskQueue: unansweredQueue(settings.taskQueue),
    maxConcurrentActivityTaskExecutions: SLOTS.unanswered,
  });
  return [loops, backlogs, unanswered];
}

/**
 * All workers of a process share one version. No workflow is pinned: one that waits for a customer until the next
 * cadence would need its old worker that long.
 */
function versioned(version: { deploymentName: string; buildId: string }): WorkerDeploymentOptions {
  return {
    useWorkerVersioning: true,
    version,
    defaultVersioningBehavior: 'AUTO_UPGRADE',
  };
}
