import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ChannelStatus } from '../../workflows/messages';
import { CUSTOMER_SLUG } from './demo-stage';

// What an operator reads in the Temporal UI, read the way the UI reads it.

export const CHANNEL_WORKFLOW = `channel/${CUSTOMER_SLUG}`;

export async function queryChannelStatus(
  temporal: Client,
  workflowId = CHANNEL_WORKFLOW,
): Promise<ChannelStatus> {
  return temporal.workflow.getHandle(workflowId).query<ChannelStatus>('status');
}

/** The "Current Details" of a workflow. */
export async function queryCurrentDetails(temporal: Client, workflowId: string): Promise<string> {
  const metadata = await temporal.workflow
    .getHandle(workflowId)
    .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}

/** The summaries of the timers a workflow has waited for, oldest first. */
export async function timerSummaries(temporal: Client, workflowId: string): Promise<string[]> {
  const { events } = await temporal.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(({ timerStartedEventAttributes, userMetadata }) =>
    timerStartedEventAttributes && userMetadata?.summary
      ? defaultPayloadConverter.fromPayload<string>(userMetadata.summary)
      : [],
  );
}
