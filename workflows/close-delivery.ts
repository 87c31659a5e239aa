import {
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities';
import type { DeliveryEnd, Outcome } from '../domain/deliveries/delivery';
import type { DeliveryInput, DeliveryState } from './delivery-state';
import { searchAttributes } from './messages';
import { HEARTBEAT_TIMEOUT, INFRASTRUCTURE_RETRIES } from './infrastructure-retries';

const { recordOutcome } = proxyActivities<Activities>({
  startToCloseTimeout: '20 seconds',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: INFRASTRUCTURE_RETRIES,
});

const { sendAlert } = proxyActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 1 }, // the reconciler sends what is left
});

/** The result of a delivery's workflow, as the Temporal UI shows it. */
export interface DeliveryReport {
  end: DeliveryEnd;
  /** More records have come than were planned. */
  more?: true;
  entity_type: string;
  catch_up: boolean;
  pages: number;
  records: number;
  bytes: number;
  set_aside: number;
  from: number;
  to: number;
  attempts: number;
  duration_ms: number;
  /** Requests spent on finding the records that were set aside. */
  probes: number;
}

/** Why a delivery fails, for an operator; `type` is the class of docs/operator.md. */
interface FailureReason {
  type: string;
  message: string;
  /** Until when the customer asked to wait, milliseconds since 1970. */
  not_before?: number;
}

/** What a failed delivery tells its channel. */
export interface FailureDetails extends Pick<DeliveryReport, 'set_aside' | 'probes'> {
  not_before?: number;
}

// `paused` and `handed_back` have no status of their own: a later delivery takes over their window.
const STATUS: Record<DeliveryEnd, Outcome['status']> = {
  delivered: 'delivered',
  superseded: 'superseded',
  resized: 'resized',
  paused: 'superseded',
  handed_back: 'superseded',
  failed: 'failed',
};

const NOTES: Partial<Record<DeliveryEnd, string>> = {
  superseded: 'A reset or a newer attempt took over; the next run continues from the marker.',
  resized: 'The page size changed; the rest is planned again.',
  paused: 'The channel was paused; the marker waits.',
  handed_back: 'A new delivery goes on where this one ended, at once.',
};

/** Closes the report in MongoDB and in the list of workflows. */
export async function closeDelivery(
  input: DeliveryInput,
  state: DeliveryState,
  end: DeliveryEnd,
  failure?: FailureReason,
): Promise<DeliveryReport> {
  const { channel, entity_type, catch_up, run, trigger, request_id = null, from, to } = input;
  const { totals } = state;
  const attempts = totals.pages + state.unconfirmed;
  const duration_ms = Date.now() - state.started;
  upsertSearchAttributes([
    { key: searchAttributes.outcome, value: failure?.type ?? end },
    { key: searchAttributes.records, value: totals.records },
  ]);
  const note = failure?.message ?? NOTES[end];
  if (note) setCurrentDetails(note);
  await report({
    ...{ channel, entity_type, catch_up, run, trigger, request_id, from, to },
    ...{ totals, attempts, duration_ms },
    status: STATUS[end],
    failure: failure?.type ?? null,
    failure_message: note ?? null,
  });
  return { end, entity_type, catch_up, ...totals, from, to, attempts, duration_ms };
}

/** Without MongoDB the report stays open until the next delivery of its kind opens one. Nothing needs it. */
async function report(outcome: Outcome): Promise<void> {
  try {
    const notices = await recordOutcome(outcome);
    if (notices) await sendAlert.executeWithOptions({ summary: 'alert the operator' }, []);
  } catch (error) {
    if (isCancellation(error)) throw error;
  }
}

/** @throws ApplicationFailure whose type is the failure and whose message a person can act on */
export async function failDelivery(
  input: DeliveryInput,
  state: DeliveryState,
  { type, message, not_before }: FailureReason,
): Promise<never> {
  await closeDelivery(input, state, 'failed', { type, message });
  const { set_aside, probes } = state.totals;
  const details: FailureDetails = { set_aside, probes, ...(not_before !== undefined && { not_before }) };
  const failure = ApplicationFailure.create({ message, type, nonRetryable: true, details: [details] });
  failure.stack = ''; // operators read it, and a stack trace means nothing to them
  throw failure;
}
