import {
  type NativeConnection,
  Worker,
  type WorkerDeploymentOptions,
  type WorkerInterceptors,
} from '@temporalio/worker';
import type { Activities } from '../activities/create-activities';
import { backlogQueue, unansweredQueue } from '../workflows/messages';

interface WorkerSettings {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  activities: Activities;
  workflowBundle: { codePath: string } | { code: string };
  /** The version of the code, if an operator decides which version gets the tasks (docs/deploy.md). */
  version?: { deploymentName: string; buildId: string } | undefined;
  /** Set if traces are on. */
  interceptors?: Pick<WorkerInterceptors, 'activity'> | undefined;
}

// Concurrent activities per queue. The first attempt at a hanging customer runs in the first queue, where a hundred of
// them must leave slots for others (docs/decisions/0012).
const SLOTS = { first: 160, backlog: 32, unanswered: 16 };

/** So many workflows are kept in memory. Any other is played again from its history, which is short, when it is woken. */
export const MOST_CACHED = 250;

/**
 * Creates the workers of one process, one per task queue: one for all channels' loops and the first slice of every
 * delivery, one for later slices, and one for customers that did not answer. So long backlogs and hanging customers
 * take no slot of the first queue.
 */
export async function createWorkers(settings: WorkerSettings): Promise<Worker[]> {
  const { workflowBundle, version, interceptors = {}, ...rest } = settings;
  const shared = {
    ...rest,
    interceptors,
    shutdownGraceTime: '30 seconds',
    // An activity learns of its cancellation with its next heartbeat.
    maxHeartbeatThrottleInterval: '1 second',
    defaultHeartbeatThrottleInterval: '1 second',
    ...(version ? { workerDeploymentOptions: versioned(version) } : {}),
  } as const;
  const loops = await Worker.create({
    ...shared,
    workflowBundle,
    maxConcurrentActivityTaskExecutions: SLOTS.first,
    maxCachedWorkflows: MOST_CACHED,
    // After this time a lost worker's workflows move to another one.
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
 * All workers of a process share one version. No workflow is pinned: a delivery that waits for a customer until the
 * next cadence would need its old worker that long.
 */
function versioned(version: { deploymentName: string; buildId: string }): WorkerDeploymentOptions {
  return {
    useWorkerVersioning: true,
    version,
    defaultVersioningBehavior: 'AUTO_UPGRADE',
  };
}
