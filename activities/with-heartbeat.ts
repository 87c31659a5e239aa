import { Context } from '@temporalio/activity';

const BEAT_MS = 2_000;

/**
 * Heartbeats by a timer while `work` goes on, so that a dead worker is noticed within the heartbeat timeout however
 * long one step takes. What `show` was last given is what the operator sees as the activity's details.
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
