import type { RetryPolicy } from '@temporalio/common';

/** A worker that has said nothing of an activity for this long counts as dead (docs/decisions/0028). */
export const HEARTBEAT_TIMEOUT = '4.5 seconds';

/**
 * Retries failures of our own side (MongoDB is down, a worker dies) for about ten minutes: after 0.25, 0.5, 1, 2, 4, 8,
 * 16 s and then every 30 s.
 */
export const INFRASTRUCTURE_RETRIES: RetryPolicy = {
  initialInterval: '250 milliseconds',
  maximumInterval: '30 seconds',
  maximumAttempts: 26,
};
