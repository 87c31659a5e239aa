import type { Client } from '@temporalio/client';
import { request } from 'undici';
import { TASK_QUEUE } from './environment-for';

const WORKFLOWS = 1; // temporal.api.enums.v1.TaskQueueType

/** Throws until the API serves. */
export async function apiServes(apiUrl: string): Promise<void> {
  const { statusCode, body } = await request(`${apiUrl}/readyz`);
  await body.dump();
  if (statusCode !== 200) throw new Error(`${apiUrl}/readyz answers ${statusCode}`);
}

/** Throws until a worker asks Temporal for work. */
export async function workerPolls({ workflowService, options: { namespace } }: Client): Promise<void> {
  const { pollers } = await workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: TASK_QUEUE },
    taskQueueType: WORKFLOWS,
  });
  if (!pollers?.length) throw new Error('the worker does not poll yet');
}
