import { msSince } from '../domain/time/elapsed';
import type { Client, Connection } from '@temporalio/client';
import { tsToDate, tsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { backlogQueue, RECONCILE_ID, searchAttributes, unansweredQueue } from '../workflows/messages';
import { isDenied, isInvalidArgument, unlessNotFound } from './grpc-codes';
import { DAY_MS } from '../domain/time/spans';

const TIMEOUT_MS = 5_000;
// A poll lasts a minute, but the server lists a poller for five. Only pollers of the last two minutes count.
const POLLED_LATELY_MS = 120_000;
const { TASK_QUEUE_TYPE_ACTIVITY: ACTIVITY } = temporal.api.enums.v1.TaskQueueType;

export type TemporalInspector = ReturnType<typeof createInspector>;

/** Reads the state of a namespace in Temporal. All methods throw when Temporal is away. */
export function createInspector(
  client: Client,
  { namespace, taskQueue }: { namespace: string; taskQueue: string },
) {
  const withTimeout = <T>(call: () => Promise<T>) => client.withDeadline(Date.now() + TIMEOUT_MS, call);

  async function workersOn(queue: string): Promise<number> {
    const { pollers } = await withTimeout(() =>
      client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: queue },
        taskQueueType: ACTIVITY,
      }),
    );
    const live = (pollers ?? []).filter(
      ({ lastAccessTime: last }) => last && msSince(tsToDate(last)) < POLLED_LATELY_MS,
    );
    return new Set(live.map(({ identity }) => identity)).size;
  }

  return {
    /** Undefined when it does not exist. */
    namespace: () =>
      unlessNotFound(async () => {
        const { config } = await withTimeout(() => client.workflowService.describeNamespace({ namespace }));
        return { retentionDays: tsToMs(config?.workflowExecutionRetentionTtl) / DAY_MS };
      }),
    missingSearchAttributes: () => withTimeout(() => missingSearchAttributes(client, namespace)),
    /** The reconciler's schedule, with its next start by the server's clock. */
    schedule: () =>
      unlessNotFound(async () => {
        const { state, info, spec } = await withTimeout(() =>
          client.schedule.getHandle(RECONCILE_ID).describe(),
        );
        return {
          paused: state.paused,
          every: spec.intervals?.[0]?.every ?? 0,
          next: info.nextActionTimes[0],
        };
      }),
    /** How many workers have polled lately, by task queue. */
    pollers: () =>
      Promise.all(
        [taskQueue, backlogQueue(taskQueue), unansweredQueue(taskQueue)].map(async (queue) => ({
          queue,
          workers: await workersOn(queue),
        })),
      ),
  };
}

/** Which of our search attributes the namespace lacks. @throws when Temporal is away */
async function missingSearchAttributes(client: Client, namespace: string): Promise<string[]> {
  const names = Object.values(searchAttributes).map(({ name }) => name);
  const { operatorService } = client.connection as Connection;
  try {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    return names.filter((name) => !customAttributes?.[name]);
  } catch (error) {
    if (!isDenied(error)) throw error;
  }
  const known = await Promise.all(names.map((name) => isQueryable(client, namespace, name)));
  return names.filter((_, index) => !known[index]);
}

/** Whether a search attribute exists, found without the right to list attributes: a query with an unknown one is invalid. */
async function isQueryable(client: Client, namespace: string, name: string): Promise<boolean> {
  try {
    await client.workflowService.countWorkflowExecutions({ namespace, query: `${name} IS NOT NULL` });
    return true;
  } catch (error) {
    if (isInvalidArgument(error)) return false;
    throw error;
  }
}
