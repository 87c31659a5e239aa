import {
  type Client,
  type Connection,
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { isDenied, isThereAlready } from './grpc-codes';
import { createInspector } from './inspector';
import {
  createNamespace,
  createSearchAttributes,
  LEAST_RETENTION_DAYS,
  RETENTION_DAYS,
  updateRetention,
} from './operator-commands';
import { RECONCILE_ID, searchAttributes } from '../workflows/messages';

const RETENTION = msToTs(`${RETENTION_DAYS} days`);

/** A missing part that the worker is not permitted to create, with the command for an operator who is. */
export interface Missing {
  missing: string;
  command: string;
}

interface Wanted {
  namespace: string;
  taskQueue: string;
  reconcileEveryMs: number;
}

/** Gives an existing schedule of the reconciler this interval. The interval of the last worker to start wins. */
export async function adoptInterval(client: Client, reconcileEveryMs: number): Promise<void> {
  const schedule = client.schedule.getHandle(RECONCILE_ID);
  const { intervals } = (await schedule.describe()).spec;
  if (intervals?.length === 1 && intervals[0]!.every === reconcileEveryMs) return;
  await schedule.update((known) => ({ ...known, spec: intervalOf(reconcileEveryMs) }));
}

const intervalOf = (everyMs: number) => ({ intervals: [{ every: everyMs }] });

/**
 * Creates the parts that Temporal lacks: the namespace, its retention, the search attributes, the reconciler's
 * schedule. It is idempotent and repeated, so an emptied Temporal is set up again.
 * @returns the missing parts that it is not permitted to create, as on Temporal Cloud
 * @throws when Temporal is away, and when the namespace neither exists nor can be created
 */
export async function ensureTemporal(client: Client, wanted: Wanted): Promise<Missing[]> {
  const missing = [await ensureNamespace(client, wanted), await ensureSearchAttributes(client, wanted)];
  await ensureSchedule(client, wanted);
  return missing.flatMap((one) => one ?? []);
}

/**
 * Creates the namespace, or lengthens its retention: a local server creates its own with one day. An operator's
 * retention of a week or more stays.
 */
async function ensureNamespace(client: Client, wanted: Wanted): Promise<Missing | undefined> {
  const { workflowService } = client;
  const { namespace } = wanted;
  // Registering comes first. A lookup would make the server remember for seconds that the namespace does not exist.
  const registered = { namespace, workflowExecutionRetentionPeriod: RETENTION };
  const made = await tryCall(() => workflowService.registerNamespace(registered));
  if (made === 'done') return undefined;
  const found = await createInspector(client, wanted).namespace();
  if (!found) {
    const advice = `someone with permission must run \`${createNamespace(namespace)}\``;
    throw new Error(`there is no namespace ${namespace}, and this account may not create one: ${advice}`);
  }
  if (found.retentionDays >= LEAST_RETENTION_DAYS) return undefined;
  const config = { workflowExecutionRetentionTtl: RETENTION };
  const updated = await tryCall(() => workflowService.updateNamespace({ namespace, config }));
  if (updated !== 'denied') return undefined;
  const missing = `closed workflows are kept ${found.retentionDays} days, not ${RETENTION_DAYS}`;
  return { missing, command: updateRetention(namespace) };
}

async function ensureSearchAttributes(client: Client, wanted: Wanted): Promise<Missing | undefined> {
  const { operatorService } = client.connection as Connection;
  const { namespace } = wanted;
  const names = await createInspector(client, wanted).missingSearchAttributes();
  if (names.length === 0) return undefined;
  const { IndexedValueType } = temporal.api.enums.v1;
  const types = Object.values(searchAttributes)
    .filter(({ name }) => names.includes(name))
    .map(({ name, type }) => [name, IndexedValueType[`INDEXED_VALUE_TYPE_${type}`]]);
  const added = { namespace, searchAttributes: Object.fromEntries(types) };
  const adding = await tryCall(() => operatorService.addSearchAttributes(added));
  if (adding !== 'denied') return undefined;
  return {
    missing: `search attributes ${names.join(', ')}: no channel starts without them`,
    command: createSearchAttributes(namespace, names),
  };
}

async function tryCall(call: () => Promise<unknown>): Promise<'done' | 'there already' | 'denied'> {
  try {
    await call();
    return 'done';
  } catch (error) {
    if (isDenied(error)) return 'denied';
    if (isThereAlready(error)) return 'there already';
    throw error;
  }
}

async function ensureSchedule(client: Client, { taskQueue, reconcileEveryMs }: Wanted): Promise<void> {
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
        staticSummary: 'keeps one workflow for each channel',
      },
      state: {
        triggerImmediately: true,
        note: 'Starts missing workflows and stops those without a channel.',
      },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
