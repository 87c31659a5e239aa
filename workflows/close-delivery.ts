import {
  type ApplicationFailure,
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities';
import { formatInstant } from '../domain/instants';
import type { DeliveryInput, DeliveryState } from './delivery-state';
import { searchAttributes } from './messages';

const { recordOutcome } = proxyActivities<Activities>({
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

const { sendAlert } = proxyActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 1 }, // the reconciler sends what is left
});

/** What a row of the list of deliveries says when it is opened. */
export interface DeliveryReport {
  end: Ending;
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
}

export type Ending = 'delivered' | 'superseded' | 'resized' | 'paused' | 'failed';

// A paused delivery has no status of its own in the contract: the next run takes its window over.
const STATUS = {
  delivered: 'delivered',
  superseded: 'superseded',
  resized: 'resized',
  paused: 'superseded',
  failed: 'failed',
} as const;

const NOTES: Partial<Record<Ending, string>> = {
  superseded: 'A reset or a newer attempt took over; the next run goes on from the marker.',
  resized: 'The page size changed; the rest is planned anew.',
  paused: 'The channel was paused; the marker waits.',
};

/** Closes the report in MongoDB and in the list of workflows. */
export async function closeDelivery(
  input: DeliveryInput,
  state: DeliveryState,
  end: Ending,
  failed?: { failure: ApplicationFailure; notBefore: number | undefined },
): Promise<DeliveryReport> {
  const { entity_type, catch_up, from, to } = input;
  const attempts = state.totals.pages + state.unconfirmed;
  const duration_ms = Date.now() - state.started;
  upsertSearchAttributes([
    { key: searchAttributes.outcome, value: failed?.failure.type ?? end },
    { key: searchAttributes.records, value: state.totals.records },
  ]);
  const note = failed?.failure.message ?? NOTES[end];
  if (note) setCurrentDetails(note);
  const notices = await recordOutcome({
    channel: input.channel,
    entity_type,
    catch_up,
    run: input.run,
    status: STATUS[end],
    failure: failed?.failure.type ?? null,
    failure_message: note ?? null,
    totals: state.totals,
    attempts,
    duration_ms,
    not_before: failed?.notBefore === undefined ? null : formatInstant(failed.notBefore),
  });
  // Undefined in histories from before there were alerts.
  if (notices) await sendAlert.executeWithOptions({ summary: 'alert the operator' }, []).catch(() => {});
  const { pages, records, bytes, set_aside } = state.totals;
  return { end, entity_type, catch_up, pages, records, bytes, set_aside, from, to, attempts, duration_ms };
}
