import { condition, setCurrentDetails } from '@temporalio/workflow';
import { isPassing } from '../domain/deliveries/classify-answer';
import { count } from '../domain/records/count';
import type { Unconfirmed } from '../domain/deliveries/delivery';
import { failureMessage } from '../domain/deliveries/failure-message';
import { retryBudget, retryDelay } from '../domain/deliveries/retry-delay';
import { timeOfDay } from '../domain/time/instants';
import { failDelivery } from './close-delivery';
import type { DeliveryInput, DeliverySignals, DeliveryState } from './delivery-state';

/**
 * When the delivery tries again, in milliseconds since 1970. Without `at` it fails; `not_before` is the end
 * of the wait that the customer asked for.
 */
type NextTry = { at: number } | { at?: undefined; not_before?: number };

/**
 * Decides on the next try. The delivery fails if the failure does not pass by itself, if the retry budget is
 * spent, or if the customer asks for a longer wait than is left of it.
 */
export function nextTry(
  { cadence_ms }: DeliveryInput,
  { failing_since, in_a_row }: DeliveryState,
  { failure, retry_after_ms: asked }: Unconfirmed,
): NextTry {
  const now = Date.now();
  const left = failing_since + retryBudget(cadence_ms) - now;
  if (!isPassing(failure) || left <= 0) return {};
  if (asked !== null && asked > left) return { not_before: now + asked };
  return { at: now + (asked ?? Math.min(retryDelay(in_a_row, Math.random()), left)) };
}

/**
 * Waits until the next attempt is due or a signal comes.
 * @throws ApplicationFailure as `failDelivery`
 */
export async function waitForCustomer(
  input: DeliveryInput,
  state: DeliveryState,
  answer: Unconfirmed,
  { next, signals }: { next: NextTry; signals: DeliverySignals },
): Promise<void> {
  if (next.at === undefined) {
    const { not_before } = next;
    const askedUntil = not_before === undefined ? undefined : timeOfDay(not_before);
    return failDelivery(input, state, {
      type: answer.failure,
      message: failureMessage(input.channel_name, answer, { attempts: state.in_a_row, askedUntil }),
      ...(not_before !== undefined && { not_before }),
    });
  }
  const summary = `${input.channel_name} ${answer.reason}, next try ${timeOfDay(next.at)} UTC`;
  setCurrentDetails(`${summary}. ${count(state.totals.records, 'record')} confirmed so far.`);
  await condition(() => isSignalled(signals), Math.max(1, next.at - Date.now()), { summary });
}

// A customer that is collecting confirms a page within seconds, and asks for the next one.
const COLLECTED_MS = 10_000;

/**
 * Waits until a customer that collects its pages asks for the next one, or another signal comes. The first
 * wait ends after 10 s, the second after a cadence, as the channel may have been changed to push.
 * @returns false when the first wait ends without a signal: then the channel is to be told, and this is
 * called again
 */
export async function waitForCollection(
  { channel_name, cadence_ms }: DeliveryInput,
  { totals, uncollected }: DeliveryState,
  signals: DeliverySignals,
): Promise<boolean> {
  const sofar = `${count(totals.records, 'record')} confirmed so far`;
  setCurrentDetails(`A page waits until ${channel_name} collects it. ${sofar}.`);
  const isAsked = await condition(() => isSignalled(signals), uncollected ? cadence_ms : COLLECTED_MS);
  return isAsked || uncollected === true;
}

const isSignalled = ({ tryNow, overtaken, handBack }: DeliverySignals) => tryNow || overtaken || handBack;
