import { msNow } from '../domain/time/elapsed';
import {
  type Client,
  QueryRejectCondition,
  QueryRejectedError,
  WorkflowClient,
  WorkflowNotFoundError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { type SignalDefinition, TypedSearchAttributes } from '@temporalio/common';
import { nextDue } from '../domain/deliveries/cadence';
import type { EntityType } from '../domain/records/entity-types';
import type { ExplainedAnswer } from '../domain/deliveries/explain-answer';
import { formatInstant } from '../domain/time/instants';
import type { Lanes } from '../domain/deliveries/lane';
import {
  type ChannelFeedInput,
  channelWorkflowId,
  deliverNowSignal,
  markerResetSignal,
  pageAskedForSignal,
  searchAttributes,
  settingsChangedSignal,
  slugOfChannelWorkflow,
  statusQuery,
  subscriptionsChangedSignal,
} from '../workflows/messages';
import { coalesce } from './coalesce';

// A signal only saves time, as MongoDB has the truth already. So no HTTP response waits long for Temporal.
const TIMEOUT_MS = 2_000;
// A customer that collects pages asks for one after the other, and each question waits for its signal.
const QUESTIONS_EVERY_MS = 100;
// An HTTP request waits for it, so it is shorter than the API's own limits (api/server/http-server.ts).
const TEST_MS = 20_000;

type ArgOf<Signal> = Signal extends SignalDefinition<[infer Arg]> ? Arg : never;

/**
 * Signals the workflows of channels. Nothing is lost when Temporal is away: the next run reads the truth from
 * MongoDB. A signal starts the channel's workflow if it is missing. Signals of one kind and channel within a second
 * are merged; each caller learns whether Temporal accepted the merged signal.
 */
export interface ChannelClient {
  markerReset(slug: string, reset: ArgOf<typeof markerResetSignal>): Promise<boolean>;
  subscriptionsChanged(slug: string, change: ArgOf<typeof subscriptionsChangedSignal>): Promise<boolean>;
  deliverNow(slug: string, asked: ArgOf<typeof deliverNowSignal>): Promise<boolean>;
  /** A customer who collects its pages asks for the next one: merged within a tenth of a second. */
  pageAskedFor(slug: string, asked: ArgOf<typeof pageAskedForSignal>): Promise<boolean>;
  /** The channel's settings or its records to send have changed. */
  settingsChanged(slug: string, reason: string, requestId?: string): Promise<boolean>;
  /**
   * Starts the channel's workflow if it is missing; its first run waits for the due time. @returns whether Temporal
   * accepted it
   */
  ensureRunning(slug: string, cadenceMs: number): Promise<boolean>;
  /** The slugs with a running workflow. @throws when Temporal is away */
  runningChannels(): Promise<string[]>;
  /** Cancels the workflow of a channel that is gone. @throws when Temporal is away */
  stop(slug: string): Promise<void>;
  /**
   * Has a worker post a test page to the channel's customer. A caller that comes while one is in flight gets
   * the same answer.
   * @returns null for a channel whose pages are not posted; undefined when no worker has posted it in time
   */
  testEndpoint(slug: string): Promise<ExplainedAnswer | null | undefined>;
  /** What each entity type of the channel is doing. Never throws. */
  lanes(slug: string): Promise<Lanes>;
  /** @throws when Temporal is away */
  ping(): Promise<void>;
  /** Sends merged signals that are still waiting, and disconnects. */
  close(): Promise<void>;
}

export function createChannelClient(
  client: Client,
  taskQueue: string,
  timeoutMs = TIMEOUT_MS,
): ChannelClient {
  const withTimeout = <T>(call: () => Promise<T>) => client.withDeadline(Date.now() + timeoutMs, call);
  const signalsOf = <Arg>(
    signal: SignalDefinition<[Arg]>,
    merge: (one: Arg, later: Arg) => Arg,
    everyMs?: number,
  ) =>
    coalesce<Arg>(
      (slug, arg) => succeeds(() => withTimeout(() => signalChannel(client, taskQueue, slug, signal, arg))),
      merge,
      everyMs,
    );
  const unite = <Arg extends { entity_types: EntityType[] }>(one: Arg, later: Arg): Arg => {
    return { ...later, entity_types: union(one.entity_types, later.entity_types) };
  };
  const resets = signalsOf(markerResetSignal, unite);
  const changes = signalsOf(subscriptionsChangedSignal, (_, later) => later);
  const deliveries = signalsOf(deliverNowSignal, ({ entity_types: types }, { entity_types, request_id }) =>
    // no types mean all types
    types && entity_types ? { request_id, entity_types: union(types, entity_types) } : { request_id },
  );
  const questions = signalsOf(pageAskedForSignal, unite, QUESTIONS_EVERY_MS);
  const settings = signalsOf(settingsChangedSignal, (_, later) => later);
  return {
    markerReset: resets.signal,
    subscriptionsChanged: changes.signal,
    deliverNow: deliveries.signal,
    pageAskedFor: questions.signal,
    settingsChanged: (slug, reason, request_id) =>
      settings.signal(slug, { reason, ...(request_id !== undefined && { request_id }) }),
    ensureRunning: (slug, cadenceMs) =>
      succeeds(() =>
        withTimeout(() =>
          client.workflow.start('channelFeed', {
            ...channelStart(slug, taskQueue),
            args: [{ slug, due: formatInstant(nextDue(slug, cadenceMs, msNow())) }],
            workflowIdConflictPolicy: 'USE_EXISTING',
          }),
        ),
      ),
    async runningChannels() {
      const slugs: string[] = [];
      const query = 'WorkflowType = "channelFeed" AND ExecutionStatus = "Running"';
      for await (const { workflowId } of client.workflow.list({ query })) {
        const slug = slugOfChannelWorkflow(workflowId);
        if (slug !== undefined) slugs.push(slug);
      }
      return slugs;
    },
    async stop(slug) {
      try {
        await client.workflow.getHandle(channelWorkflowId(slug)).cancel();
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error; // it has ended in between
      }
    },
    async testEndpoint(slug) {
      const start = () =>
        client.workflow.execute('testEndpoint', {
          workflowId: `test/${slug}`,
          taskQueue,
          args: [{ slug }],
          workflowExecutionTimeout: TEST_MS,
          workflowIdConflictPolicy: 'USE_EXISTING',
        });
      return client.withDeadline(Date.now() + TEST_MS, start).catch(() => undefined);
    },
    lanes: (slug) => readLanes(client, slug),
    ping: () => withTimeout(async () => void (await client.workflowService.getSystemInfo({}))),
    async close() {
      await Promise.all([resets, changes, deliveries, questions, settings].map(({ flush }) => flush()));
      await client.connection.close();
    },
  };
}

const union = (some: EntityType[], more: EntityType[]) => [...new Set([...some, ...more])];

async function succeeds(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch {
    return false; // the next run or the reconciler makes up for it
  }
}

/** The options that start a channel's workflow. */
function channelStart(slug: string, taskQueue: string): WorkflowStartOptions & { args: [ChannelFeedInput] } {
  return {
    workflowId: channelWorkflowId(slug),
    taskQueue,
    args: [{ slug }],
    typedSearchAttributes: new TypedSearchAttributes([{ key: searchAttributes.channel, value: slug }]),
    staticSummary: `feed of channel ${slug}`,
    staticDetails: 'Runs at the channel’s cadence, or when it is signalled, and delivers what has changed.',
  };
}

/** Signals the workflow of a channel, and starts it if it is missing. @throws when Temporal is away */
export async function signalChannel<Arg>(
  client: Client,
  taskQueue: string,
  slug: string,
  signal: SignalDefinition<[Arg]>,
  arg: Arg,
): Promise<void> {
  await client.workflow.signalWithStart('channelFeed', {
    ...channelStart(slug, taskQueue),
    signal: signal as SignalDefinition<unknown[]>,
    signalArgs: [arg],
  });
}

const unknown = (because: string): Lanes => ({ known: null, why: `${because}: lanes not known` });

/** Asks the channel's workflow what its entity types are doing. Never throws, and answers within two seconds. */
export async function readLanes(client: Client, slug: string): Promise<Lanes> {
  const withTimeout = <T>(call: () => Promise<T>) => client.withDeadline(Date.now() + TIMEOUT_MS, call);
  // A workflow that has ended would answer with the state of its end.
  const { connection, options } = client.workflow;
  const queryRejectCondition = QueryRejectCondition.NOT_OPEN;
  const ifOpen = new WorkflowClient({ ...options, connection, queryRejectCondition });
  const [answer, server] = await Promise.allSettled([
    withTimeout(() => ifOpen.getHandle(channelWorkflowId(slug)).query(statusQuery)),
    withTimeout(() => client.workflowService.getSystemInfo({})),
  ]);
  if (answer.status === 'fulfilled') return { known: answer.value.lanes };
  const { reason } = answer;
  if (reason instanceof WorkflowNotFoundError || reason instanceof QueryRejectedError)
    return unknown('Its workflow does not run');
  return unknown(server.status === 'fulfilled' ? 'No worker answered within 2 s' : 'Temporal is away');
}
