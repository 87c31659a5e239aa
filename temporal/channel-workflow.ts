import type { Client, WorkflowStartOptions } from '@temporalio/client';
import { type SignalDefinition, TypedSearchAttributes } from '@temporalio/common';
import { type ChannelFeedInput, channelWorkflowId, searchAttributes } from '../workflows/messages';

/** How the workflow of a channel is started. */
export function channelStart(
  slug: string,
  taskQueue: string,
): WorkflowStartOptions & { args: [ChannelFeedInput] } {
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
