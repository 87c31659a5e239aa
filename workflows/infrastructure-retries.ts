import type { RetryPolicy } from '@temporalio/common';

/**
 * Retries failures of our own side (MongoDB is down, a worker dies) for about ten minutes: after 1, 2, 4, 8, 16 s and
 * then every 30 s.
 */
export const INFRASTRUCTURE_RETRIES: RetryPolicy = {
  initialInterval: '1 second',
  maximumInterval: '30 seconds',
  maximumAttempts: 24,
};
