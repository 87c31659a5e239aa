import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities';
import type { Reconciled } from '../activities/reconcile';
import { count } from '../domain/records/count';

const { reconcile } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumAttempts: 5 },
});

const { sendAlert, tellCustomers } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 1 }, // the next reconciler sends what is left
});

/**
 * Ensures that exactly the channels in MongoDB have workflows. Sends what is unsent of alerts to the operator
 * and of notices to customers. Started by a schedule.
 */
export async function reconcileChannels(): Promise<Reconciled> {
  const result = await reconcile();
  const { channels, started, unstarted, stopped, left, why_left } = result;
  const missing =
    unstarted > 0 ? `; ${unstarted} not started: Temporal was slow, the next pass tries again` : '';
  const kept = left > 0 ? `; ${left} left that have no channel: ${why_left}` : '';
  setCurrentDetails(`${count(channels, 'channel')}, ${started} started, ${stopped} stopped${missing}${kept}`);
  await Promise.all([
    result.unsent ? sendAlert().catch(() => {}) : undefined,
    result.untold ? tellCustomers().catch(() => {}) : undefined,
  ]);
  return result;
}
