import type { Client, WorkflowStartOptions } from '@temporalio/client';
import { TypedSearchAttributes, type SignalDefinition } from '@temporalio/common';
import { nextDue } from '../domain/cadence';
import { formatInstant } from '../domain/instants';
import {
  channelWorkflowId,
  searchAttributes,
  settingsChanged,
  slugOfChannelWorkflow,
  type ChannelFeedInput,
} from '../workflows/messages';

// MongoDB has the truth already; an answer must not wait long for Temporal (design 4).
const PATIENCE_MS = 2_000;

/** Wakes channels. Nothing is lost when Temporal is away: the next run reads the truth from MongoDB. */
export interface Bell {
  /** Starts the channel's workflow if it is missing. @returns false when Temporal did not take it */
  ring<Args extends unknown[]>(slug: string, signal: SignalDefinition<Args>, ...args: Args): Promise<boolean>;
  /** The ring for whatever changed what the channel is, or has to send. */
  settingsChanged(slug: string, reason: string): Promise<boolean>;
  /** Starts the channel's workflow if it is missing; it waits for its turn. @returns false as above */
  ensureRunning(slug: string, cadenceMs: number): Promise<boolean>;
  /** The slugs whose workflow runs. @throws when Temporal is away */
  runningChannels(): Promise<string[]>;
  /** Asks the workflow of a channel that is no more to end. @throws when Temporal is away */
  stop(slug: string): Promise<void>;
  /** @throws when Temporal is away */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export function createBell(client: Client, taskQueue: string, patienceMs = PATIENCE_MS): Bell {
  const soon = <T>(call: () => Promise<T>) => client.withDeadline(Date.now() + patienceMs, call);
  const startOptions = (slug: string): WorkflowStartOptions & { args: [ChannelFeedInput] } => ({
    workflowId: channelWorkflowId(slug),
    taskQueue,
    args: [{ slug }],
    typedSearchAttributes: new TypedSearchAttributes([{ key: searchAttributes.channel, value: slug }]),
    staticSummary: `feed of channel ${slug}`,
    staticDetails: 'Wakes at the channel’s cadence, or when a bell rings, and delivers what has changed.',
  });
  const ring: Bell['ring'] = (slug, signal, ...args) =>
    taken(() =>
      soon(() =>
        client.workflow.signalWithStart('channelFeed', {
          ...startOptions(slug),
          signal: signal as SignalDefinition<unknown[]>,
          signalArgs: args,
        }),
      ),
    );
  return {
    ring,
    settingsChanged: (slug, reason) => ring(slug, settingsChanged, { reason }),
    ensureRunning: (slug, cadenceMs) =>
      taken(() =>
        soon(() =>
          client.workflow.start('channelFeed', {
            ...startOptions(slug),
            args: [{ slug, due: formatInstant(nextDue(slug, cadenceMs, Date.now())) }],
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
      await client.workflow.getHandle(channelWorkflowId(slug)).cancel();
    },
    ping: () => soon(async () => void (await client.workflowService.getSystemInfo({}))),
    close: () => client.connection.close(),
  };
}

async function taken(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch {
    return false; // the next run, or the reconciler, puts it right
  }
}
