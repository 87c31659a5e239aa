import { type NativeConnection, Worker } from '@temporalio/worker';
import type { Activities } from '../activities/create-activities';

export interface WorkerSettings {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  activities: Activities;
  workflowBundle: { codePath: string } | { code: string };
}

/** One worker: the loops of all channels, and up to 64 requests to customers at once (delivery). */
export function createWorker(settings: WorkerSettings): Promise<Worker> {
  return Worker.create({
    ...settings,
    shutdownGraceTime: '30 seconds',
    maxConcurrentActivityTaskExecutions: 64,
    maxCachedWorkflows: 500,
    // A cancelled attempt hears of it with its next heartbeat; a lost worker's loops move on this soon.
    maxHeartbeatThrottleInterval: '2 seconds',
    defaultHeartbeatThrottleInterval: '2 seconds',
    stickyQueueScheduleToStartTimeout: '5 seconds',
  });
}
