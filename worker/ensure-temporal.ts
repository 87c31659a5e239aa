import {
  type Client,
  type Connection,
  isGrpcServiceError,
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { RECONCILE_ID } from '../workflows/messages';

const { INDEXED_VALUE_TYPE_KEYWORD: KEYWORD, INDEXED_VALUE_TYPE_INT: INT } =
  temporal.api.enums.v1.IndexedValueType;

const SEARCH_ATTRIBUTES = {
  GdxChannel: KEYWORD,
  GdxEntityType: KEYWORD,
  GdxOutcome: KEYWORD,
  GdxTrigger: KEYWORD,
  GdxRecords: INT,
};

const ALREADY_EXISTS = 6; // gRPC status code

/** The schedule may be there from a worker with another interval: that of the worker that started last counts. */
export async function adoptInterval(client: Client, reconcileEveryMs: number): Promise<void> {
  const schedule = client.schedule.getHandle(RECONCILE_ID);
  const { intervals } = (await schedule.describe()).spec;
  if (intervals?.length === 1 && intervals[0]!.every === reconcileEveryMs) return;
  await schedule.update((known) => ({ ...known, spec: intervalOf(reconcileEveryMs) }));
}

const intervalOf = (everyMs: number) => ({ intervals: [{ every: everyMs }] });

/**
 * Makes what Temporal needs and does not have: the namespace, the search attributes, the reconciler's schedule.
 * Calling it again changes nothing, so an emptied Temporal heals.
 */
export async function ensureTemporal(
  client: Client,
  settings: { namespace: string; taskQueue: string; reconcileEveryMs: number },
): Promise<void> {
  await unlessItExists(
    client.workflowService.registerNamespace({
      namespace: settings.namespace,
      workflowExecutionRetentionPeriod: msToTs('90 days'), // on purpose; `deliveries` outlives it (operators)
    }),
  );
  await ensureSearchAttributes(client, settings.namespace);
  await ensureSchedule(client, settings);
}

async function ensureSearchAttributes(client: Client, namespace: string): Promise<void> {
  const { operatorService } = client.connection as Connection;
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !customAttributes?.[name]);
  if (missing.length === 0) return;
  await unlessItExists(
    operatorService.addSearchAttributes({ namespace, searchAttributes: Object.fromEntries(missing) }),
  );
}

async function ensureSchedule(
  client: Client,
  { taskQueue, reconcileEveryMs }: { taskQueue: string; reconcileEveryMs: number },
): Promise<void> {
  try {
    await client.schedule.create({
      scheduleId: RECONCILE_ID,
      spec: intervalOf(reconcileEveryMs),
      policies: { overlap: ScheduleOverlapPolicy.SKIP },
      action: {
        type: 'startWorkflow',
        workflowType: 'reconcileChannels',
        workflowId: RECONCILE_ID,
        taskQueue,
        staticSummary: 'every channel has its workflow',
      },
      state: {
        triggerImmediately: true,
        note: 'Starts the workflows that are missing and stops those that are too many.',
      },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}

async function unlessItExists(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(isGrpcServiceError(error) && error.code === ALREADY_EXISTS)) throw error;
  }
}
