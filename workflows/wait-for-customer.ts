import { ApplicationFailure, condition, setCurrentDetails } from '@temporalio/workflow';
import type { Unconfirmed } from '../activities/deliver-page';
import { count } from '../domain/count';
import { isPassing } from '../domain/classify-answer';
import { patience, retryDelay } from '../domain/retry-delay';
import { closeDelivery } from './close-delivery';
import type { DeliveryInput, DeliveryState } from './delivery-state';
import { timeOfDay } from './sentences';

/**
 * Waits out an answer that passes by itself, until the next try is due or a bell rings. Ends the delivery as failed
 * when the answer does not pass, or not within this delivery's patience (design 4).
 * @throws ApplicationFailure whose type is the failure and whose message a person can act on
 */
export async function waitForCustomer(
  input: DeliveryInput,
  state: DeliveryState,
  answer: Unconfirmed,
  rung: () => boolean,
): Promise<void> {
  const now = Date.now();
  const left = state.trouble_since + patience(input.cadence_ms) - now;
  const asked = answer.retry_after_ms;
  if (!isPassing(answer.failure) || left <= 0) return fail(input, state, answer);
  if (asked !== null && asked > left) return fail(input, state, answer, now + asked);
  const wait = asked ?? Math.min(retryDelay(state.in_a_row, Math.random()), left);
  const summary = `${input.channel_name} ${answer.reason}, next try ${timeOfDay(now + wait)} UTC`;
  setCurrentDetails(`${summary}. ${count(state.totals.records, 'record')} confirmed so far.`);
  await condition(rung, wait, { summary });
}

async function fail(
  input: DeliveryInput,
  state: DeliveryState,
  answer: Unconfirmed,
  notBefore?: number,
): Promise<never> {
  const times = state.in_a_row > 1 ? ` to the last ${state.in_a_row} attempts` : '';
  const next = notBefore === undefined ? '' : ` and asked for time until ${timeOfDay(notBefore)} UTC`;
  const advice = answer.advice ?? 'the next run tries again from the same place';
  const failure = ApplicationFailure.create({
    message: `${input.channel_name} ${answer.reason}${times}${next}: ${advice}`,
    type: answer.failure,
    nonRetryable: true,
  });
  failure.stack = ''; // an operator reads it: where in the code it was made says nothing
  await closeDelivery(input, state, 'failed', { failure, notBefore });
  throw failure;
}
