import {
  ActivityCancellationType,
  ActivityFailure,
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
import { count, pageRange, progressLine } from '../domain/records/count';
import type { DeliverResult } from '../domain/deliveries/delivery';
import { ownFailureMessage } from '../domain/deliveries/failure-message';
import { formatInstant } from '../domain/time/instants';
import { subjectOf } from '../domain/deliveries/subject';
import { closeDelivery, type DeliveryReport, failDelivery } from './close-delivery';
import { type DeliveryInput, type DeliverySignals, type DeliveryState, newState } from './delivery-state';
import { HEARTBEAT_TIMEOUT, INFRASTRUCTURE_RETRIES } from './infrastructure-retries';
import {
  backlogQueue,
  deliveryStalledSignal,
  handBackSignal,
  overtakenSignal,
  tryNowSignal,
  unansweredQueue,
} from './messages';
import { nextTry, waitForCollection, waitForCustomer } from './wait-for-customer';

const { deliverPages } = proxyActivities<Activities>({
  // Enough for the longest slice: a minute of pages, 20 catch-ups that are refused whole, and a search of 60
  // requests, each request up to 30 s. Heartbeats reveal a dead worker long before.
  startToCloseTimeout: '45 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: INFRASTRUCTURE_RETRIES,
  // The type's next delivery begins only after the cancelled slice has ended: one request at a time.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/**
 * Delivers one window. The activity's retries handle failures of our own infrastructure; the customer's answers come
 * back here, and the waits for the customer are visible to an operator.
 */
export async function feedDelivery(input: DeliveryInput): Promise<DeliveryReport> {
  const state = input.so_far ?? newState(input, Date.now());
  const signals = listen();
  try {
    for (;;) {
      const result = await tryPages(input, state, signals);
      if (result === 'overtaken') return await closeDelivery(input, state, 'superseded');
      if (result.end === 'unconfirmed') {
        const next = nextTry(input, state, result.unconfirmed);
        const shown = isLong(next.at) ? next.at : undefined;
        if (state.in_a_row === 1 || shown !== undefined)
          await tellChannel(`${input.channel_name} ${result.unconfirmed.reason}`, shown);
        await waitForCustomer(input, state, result.unconfirmed, { next, signals });
      } else if (result.end === 'uncollected') {
        if (!(await waitForCollection(input, state, signals))) {
          await tellChannel(`${input.channel_name} has not confirmed its page`);
          state.uncollected = true;
          await waitForCollection(input, state, signals);
        }
      } else if (result.end !== 'more') {
        const report = await closeDelivery(input, state, result.end);
        return result.more ? { ...report, more: true } : report;
      }
      if (signals.overtaken) return await closeDelivery(input, state, 'superseded');
      if (signals.handBack) return await closeDelivery(input, state, 'handed_back');
      await continueIfLong(input, state);
    }
  } catch (error) {
    if (isCancellation(error)) {
      await CancellationScope.nonCancellable(() => closeDelivery(input, state, 'superseded'));
    } else if (error instanceof ActivityFailure) {
      await failDelivery(input, state, { type: 'infrastructure', message: ownFailureMessage(error.cause) });
    }
    throw error;
  }
}

function listen(): DeliverySignals {
  const signals: DeliverySignals = { tryNow: false, overtaken: false, handBack: false };
  const giveUp = () => {
    signals.overtaken = true;
    signals.slice?.cancel();
  };
  setHandler(tryNowSignal, () => void (signals.tryNow = true), {
    description: 'An operator asks for an attempt now.',
  });
  setHandler(overtakenSignal, giveUp, {
    description: 'A reset has moved the marker: end; the rest is planned again.',
  });
  setHandler(handBackSignal, () => void (signals.handBack = true), {
    description: 'End after the current slice: the channel continues as new and plans the rest.',
  });
  return signals;
}

/** Delivers one slice of the window. A reset cancels the slice, even its request in flight. */
async function tryPages(
  input: DeliveryInput,
  state: DeliveryState,
  signals: DeliverySignals,
): Promise<DeliverResult | 'overtaken'> {
  if (signals.overtaken) return 'overtaken';
  signals.tryNow = false;
  const slice = (signals.slice = new CancellationScope());
  let result: DeliverResult;
  try {
    result = await slice.run(() => deliverSlice(input, state));
  } catch (error) {
    if (signals.overtaken && endedByCancelling(error)) return 'overtaken';
    throw error;
  }
  await takeResult(input, state, result);
  return result;
}

/** If the worker died first, a cancelled activity ends with a heartbeat timeout instead of a cancellation. */
const endedByCancelling = (error: unknown) => isCancellation(error) || error instanceof ActivityFailure;

function deliverSlice(input: DeliveryInput, state: DeliveryState): Promise<DeliverResult> {
  const { channel_name: _name, cadence_ms: _cadence, so_far: _soFar, ...delivery } = input;
  const first = state.calls === 0;
  const { taskQueue } = workflowInfo();
  // A page that is to be laid out takes one short slice, and its customer waits for it.
  const isSoon = first || state.collecting;
  const queue = state.unanswered ? unansweredQueue(taskQueue) : isSoon ? taskQueue : backlogQueue(taskQueue);
  const what = input.catch_up ? count(input.records, 'record') : pageRange(state.totals.pages + 1, input);
  const options = {
    summary: `${subjectOf(input)}, ${what}`,
    taskQueue: queue,
    ...(!first && { priority: { fairnessKey: input.channel.slice(0, 64) } }),
  };
  const { totals: done, unanswered } = state;
  return deliverPages.executeWithOptions(options, [{ ...delivery, unanswered, done, first }]);
}

async function takeResult(
  input: DeliveryInput,
  state: DeliveryState,
  { end, totals, last, unconfirmed }: DeliverResult,
): Promise<void> {
  const confirmed = totals.pages > state.totals.pages;
  const recovered = confirmed && (state.in_a_row > 0 || state.uncollected);
  state.calls += 1;
  if (confirmed) {
    state.in_a_row = 0;
    state.uncollected = false;
  }
  state.totals = totals;
  state.unanswered = unconfirmed?.status === null;
  state.collecting = end === 'uncollected';
  setCurrentDetails(progressLine(input, totals, last));
  if (unconfirmed) {
    if (state.in_a_row === 0) state.failing_since = Date.now();
    state.in_a_row += 1;
    state.unconfirmed += 1;
  } else if (recovered) await tellChannel(null);
}

// The end of a shorter wait would be old when the channel reads it, and would fill the channel's history.
const LONG_WAIT_MS = 10_000;
const isLong = (at: number | undefined) => at !== undefined && at - Date.now() >= LONG_WAIT_MS;

/**
 * Tells the channel why the customer does not confirm, and when it is tried next; with null, that it confirms
 * again. Does nothing if the channel is gone.
 */
async function tellChannel(reason: string | null, next?: number): Promise<void> {
  const { parent, workflowId } = workflowInfo();
  if (!parent) return;
  const channel = getExternalWorkflowHandle(parent.workflowId);
  const news = { delivery: workflowId, reason, ...(next !== undefined && { until: formatInstant(next) }) };
  await channel.signal(deliveryStalledSignal, news).catch(() => {});
}

/** Temporal ends a workflow whose history grows too long, as after a day of 429 with `Retry-After: 1`. */
async function continueIfLong(input: DeliveryInput, state: DeliveryState): Promise<void> {
  if (!workflowInfo().continueAsNewSuggested) return;
  await continueAsNew<typeof feedDelivery>({ ...input, so_far: state });
}
