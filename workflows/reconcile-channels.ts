import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities';
import type { Reconciled } from '../activities/reconcile';
import { count } from '../domain/count';

const { reconcile } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumAttempts: 5 },
});

const { sendAlert } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 1 }, // the next reconciler sends what is left
});

/** Makes sure that every channel in MongoDB has its workflow, and no other has one; sends the alerts that are left. Started by a schedule. */
export async function reconcileChannels(): Promise<Reconciled> {
  const result = await reconcile();
  setCurrentDetails(
    `${count(result.channels, 'channel')}, ${result.started} started, ${result.stopped} stopped`,
  );
  if (result.unsent) await sendAlert().catch(() => {});
  return result;
}
