import { Context } from '@temporalio/activity';

/** The delivery that the running activity belongs to: its workflow's id is the delivery's id. */
export function currentDelivery(): { delivery: string; runId: string } {
  const execution = Context.current().info.workflowExecution;
  if (!execution) throw new Error('this activity runs only in a delivery');
  return { delivery: execution.workflowId, runId: execution.runId };
}

const BEAT_MS = 1_000;

/**
 * Heartbeats on a timer while `work` runs, so that a dead worker is noticed within the heartbeat timeout however long
 * one step takes. The last argument of `show` becomes the activity's details in the Temporal UI.
 */
export async function withHeartbeat<T>(
  work: (show: (details: unknown) => void, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  let details: unknown;
  const timer = setInterval(() => context.heartbeat(details), BEAT_MS);
  try {
    return await work((latest) => (details = latest), context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
