import { condition, setCurrentDetails } from '@temporalio/workflow';
import { isPassing } from '../domain/classify-answer';
import { count } from '../domain/count';
import type { Unconfirmed } from '../domain/delivery';
import { failureMessage } from '../domain/failure-message';
import { retryBudget, retryDelay } from '../domain/retry-delay';
import { failDelivery } from './close-delivery';
import { type DeliveryInput, type DeliverySignals, type DeliveryState, timeOfDay } from './delivery-state';

/**
 * Waits until the next attempt is due or a signal comes. Fails the delivery when the answer is not one that passes by
 * itself, or the delivery's retry budget is spent.
 * @throws ApplicationFailure as `failDelivery`
 */
export async function waitForCustomer(
  input: DeliveryInput,
  state: DeliveryState,
  answer: Unconfirmed,
  signals: DeliverySignals,
): Promise<void> {
  const now = Date.now();
  const left = state.failing_since + retryBudget(input.cadence_ms) - now;
  const asked = answer.retry_after_ms;
  if (!isPassing(answer.failure) || left <= 0) return fail(input, state, answer);
  if (asked !== null && asked > left) return fail(input, state, answer, now + asked);
  const wait = asked ?? Math.min(retryDelay(state.in_a_row, Math.random()), left);
  const summary = `${input.channel_name} ${answer.reason}, next try ${timeOfDay(now + wait)} UTC`;
  setCurrentDetails(`${summary}. ${count(state.totals.records, 'record')} confirmed so far.`);
  await condition(() => isSignalled(signals), wait, { summary });
}

/**
 * Waits until the customer, who collects its pages, asks for the next one, or another signal comes; for a cadence at most,
 * as the channel may be one whose pages are already posted.
 */
export async function waitForCollection(
  { channel_name, cadence_ms }: DeliveryInput,
  { totals }: DeliveryState,
  signals: DeliverySignals,
): Promise<void> {
  const sofar = `${count(totals.records, 'record')} confirmed so far`;
  setCurrentDetails(`A page waits until ${channel_name} collects it. ${sofar}.`);
  await condition(() => isSignalled(signals), cadence_ms);
}

const isSignalled = ({ tryNow, overtaken, handBack }: DeliverySignals) => tryNow || overtaken || handBack;

function fail(
  input: DeliveryInput,
  state: DeliveryState,
  answer: Unconfirmed,
  notBefore?: number,
): Promise<never> {
  const askedUntil = notBefore === undefined ? undefined : timeOfDay(notBefore);
  return failDelivery(input, state, {
    type: answer.failure,
    message: failureMessage(input.channel_name, answer, { attempts: state.in_a_row, askedUntil }),
    ...(notBefore !== undefined && { not_before: notBefore }),
  });
}
