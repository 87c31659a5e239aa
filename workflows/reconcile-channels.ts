import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities';
import type { Reconciled } from '../activities/reconcile';
import { count } from './sentences';

const { reconcile } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumAttempts: 5 },
});

/** Makes sure that every channel in MongoDB has its workflow, and no other has one. Started by a schedule. */
export async function reconcileChannels(): Promise<Reconciled> {
  const result = await reconcile();
  setCurrentDetails(
    `${count(result.channels, 'channel')}, ${result.started} started, ${result.stopped} stopped`,
  );
  return result;
}
