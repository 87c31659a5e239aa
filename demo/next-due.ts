import type { Client } from '@temporalio/client';
import { waitUntil } from '../deploy/local/wait-until';
import { channelStatus } from './operator-view';
import { PATIENCE_MS } from './stage';

/** When a channel's next run is due, as soon as that is not `passed` and none is under way. */
export async function nextDue(temporal: Client, passed?: string, workflowId?: string): Promise<string> {
  let due = '';
  await waitUntil(async () => {
    const { state, next_due } = await channelStatus(temporal, workflowId);
    if (state !== 'waiting' || !next_due || next_due === passed) {
      throw new Error(`the channel is ${state}, its next run due at ${next_due}`);
    }
    due = next_due;
  }, PATIENCE_MS);
  return due;
}
