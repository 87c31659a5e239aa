import type { Client } from '@temporalio/client';
import { waitUntil } from '../local/wait-until';
import { queryChannelStatus } from './operator-view';
import { STEP_TIMEOUT_MS } from './demo-stage';

/** The due time of a channel's next run, once no run is active and the time differs from `passed`. */
export async function waitForNextDue(
  temporal: Client,
  passed?: string,
  workflowId?: string,
): Promise<string> {
  let due = '';
  await waitUntil(async () => {
    const { state, next_due } = await queryChannelStatus(temporal, workflowId);
    if (state !== 'waiting' || !next_due || next_due === passed) {
      throw new Error(`the channel is ${state}, its next run due at ${next_due}`);
    }
    due = next_due;
  }, STEP_TIMEOUT_MS);
  return due;
}
