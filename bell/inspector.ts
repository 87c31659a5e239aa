import { type Client, isGrpcServiceError, ScheduleNotFoundError, type Connection } from '@temporalio/client';
import { tsToDate, tsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { backlogQueue, RECONCILE_ID, searchAttributes } from '../workflows/messages';

const DAY_MS = 24 * 3_600_000;
const PATIENCE_MS = 5_000;
// A poll lasts a minute; the server forgets a poller only after five.
const POLLED_LATELY_MS = 120_000;
const NOT_FOUND = 5; // gRPC status code
const { TASK_QUEUE_TYPE_ACTIVITY: ACTIVITY } = temporal.api.enums.v1.TaskQueueType;

/** Looks at what the service needs of Temporal, and changes nothing. All of it throws when Temporal is away. */
export interface TemporalInspector {
  /** Undefined: there is none of that name. */
  namespace(): Promise<{ retentionDays: number } | undefined>;
  missingSearchAttributes(): Promise<string[]>;
  /** That of the reconciler, with its next start by the server's clock. */
  schedule(): Promise<{ paused: boolean; every: number; next: Date | undefined } | undefined>;
  /** How many workers asked for tasks of ours lately, by task queue. */
  pollers(): Promise<{ queue: string; workers: number }[]>;
}

export function createInspector(
  client: Client,
  { namespace, taskQueue }: { namespace: string; taskQueue: string },
): TemporalInspector {
  const soon = <T>(call: () => Promise<T>) => client.withDeadline(Date.now() + PATIENCE_MS, call);

  async function workersOn(queue: string): Promise<number> {
    const { pollers } = await soon(() =>
      client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: queue },
        taskQueueType: ACTIVITY,
      }),
    );
    const latest = Date.now() - POLLED_LATELY_MS;
    const live = (pollers ?? []).filter(
      ({ lastAccessTime: last }) => last && tsToDate(last).getTime() > latest,
    );
    return new Set(live.map(({ identity }) => identity)).size;
  }

  return {
    namespace: () =>
      unlessNotFound(async () => {
        const { config } = await soon(() => client.workflowService.describeNamespace({ namespace }));
        return { retentionDays: tsToMs(config?.workflowExecutionRetentionTtl) / DAY_MS };
      }),
    async missingSearchAttributes() {
      const { operatorService } = client.connection as Connection;
      const { customAttributes } = await soon(() => operatorService.listSearchAttributes({ namespace }));
      return Object.values(searchAttributes).flatMap(({ name }) => (customAttributes?.[name] ? [] : name));
    },
    schedule: () =>
      unlessNotFound(async () => {
        const { state, info, spec } = await soon(() => client.schedule.getHandle(RECONCILE_ID).describe());
        return {
          paused: state.paused,
          every: spec.intervals?.[0]?.every ?? 0,
          next: info.nextActionTimes[0],
        };
      }),
    pollers: () =>
      Promise.all(
        [taskQueue, backlogQueue(taskQueue)].map(async (queue) => ({
          queue,
          workers: await workersOn(queue),
        })),
      ),
  };
}

async function unlessNotFound<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    if (isGrpcServiceError(error) && error.code === NOT_FOUND) return undefined;
    throw error;
  }
}
