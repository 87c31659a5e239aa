import {
  CancellationScope,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities';
import type { DeliverResult } from '../activities/deliver-pages';
import { count } from '../domain/count';
import { pageRange, progressLine } from '../domain/progress-line';
import { subjectOf } from '../domain/subject';
import { closeDelivery, type DeliveryReport } from './close-delivery';
import { type DeliveryInput, type DeliveryState, newState } from './delivery-state';
import { backlogQueue, deliveryStalled, tryNow } from './messages';
import { waitForCustomer } from './wait-for-customer';

const { deliverPages } = proxyActivities<Activities>({
  // A minute of pages, the last of which may be searched for refused records: 60 requests of 30 s. Heartbeats tell a
  // worker that is gone long before.
  startToCloseTimeout: '40 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

/**
 * The story of one window. What the infrastructure does, the activity's own retries handle; what the customer
 * answers comes back here, and is waited out where an operator can see it (design 4).
 */
export async function feedDelivery(input: DeliveryInput): Promise<DeliveryReport> {
  const state = input.so_far ?? newState(Date.now());
  let rung = false;
  setHandler(tryNow, () => void (rung = true), { description: 'A bell rang: try at once.' });
  try {
    for (;;) {
      const result = await tryPages(input, state);
      if (result.unconfirmed) {
        if (state.unconfirmed === 1) await tellChannel(input, result.unconfirmed.reason);
        await waitForCustomer(input, state, result.unconfirmed, () => rung);
        rung = false;
      } else if (result.end === 'more') {
        await carryOnIfLong(input, state);
      } else {
        return await closeDelivery(input, state, result.end);
      }
    }
  } catch (error) {
    if (isCancellation(error)) {
      await CancellationScope.nonCancellable(() => closeDelivery(input, state, 'superseded'));
    }
    throw error;
  }
}

async function tryPages(input: DeliveryInput, state: DeliveryState): Promise<DeliverResult> {
  const { entity_type, catch_up, channel, generation, from, to, records, page_size, run, trigger } = input;
  const what = catch_up ? count(records, 'record') : pageRange(state.totals.pages + 1, input);
  const first = state.shares === 0;
  const taskQueue = workflowInfo().taskQueue;
  const options = {
    summary: `${subjectOf(input)}, ${what}`,
    taskQueue: first ? taskQueue : backlogQueue(taskQueue),
  };
  const result = await deliverPages.executeWithOptions(options, [
    {
      channel,
      entity_type,
      catch_up,
      run,
      trigger,
      generation,
      from,
      to,
      records,
      page_size,
      done: state.totals,
      first,
    },
  ]);
  state.shares += 1;
  if (result.totals.pages > state.totals.pages) state.in_a_row = 0;
  state.totals = result.totals;
  setCurrentDetails(progressLine(input, state.totals, result.last));
  if (result.unconfirmed) {
    if (state.in_a_row === 0) state.trouble_since = Date.now();
    state.in_a_row += 1;
    state.unconfirmed += 1;
  }
  return result;
}

/** So that the next entity type need not wait; a channel that is gone does not need to know. */
async function tellChannel(input: DeliveryInput, reason: string): Promise<void> {
  const { parent, workflowId } = workflowInfo();
  if (!parent) return;
  const channel = getExternalWorkflowHandle(parent.workflowId);
  await channel
    .signal(deliveryStalled, { delivery: workflowId, reason: `${input.channel_name} ${reason}` })
    .catch(() => {});
}

async function carryOnIfLong(input: DeliveryInput, state: DeliveryState): Promise<void> {
  if (!workflowInfo().continueAsNewSuggested) return;
  await continueAsNew<typeof feedDelivery>({ ...input, so_far: state });
}
