import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Lanes } from '../domain/lane';
import { channelWorkflowId, statusQuery } from '../workflows/messages';

// The rest of a page must not wait long for this.
const TIMEOUT_MS = 2_000;

const unknown = (because: string): Lanes => ({ known: null, why: `${because}: lanes not known` });

/** Asks the channel's workflow. Never throws, and answers within two seconds. */
export async function readLanes(client: Client, slug: string): Promise<Lanes> {
  const withTimeout = <T>(call: () => Promise<T>) => client.withDeadline(Date.now() + TIMEOUT_MS, call);
  const [answer, server] = await Promise.allSettled([
    withTimeout(() => client.workflow.getHandle(channelWorkflowId(slug)).query(statusQuery)),
    withTimeout(() => client.workflowService.getSystemInfo({})),
  ]);
  if (answer.status === 'fulfilled') return { known: answer.value.lanes };
  if (answer.reason instanceof WorkflowNotFoundError) return unknown('Its workflow does not run');
  return unknown(server.status === 'fulfilled' ? 'No worker answers' : 'Temporal is away');
}
