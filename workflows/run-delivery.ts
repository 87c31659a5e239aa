import {
  ApplicationFailure,
  ChildWorkflowFailure,
  type ChildWorkflowHandle,
  condition,
  isCancellation,
  ParentClosePolicy,
  startChild,
} from '@temporalio/workflow';
import { TypedSearchAttributes, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { count } from '../domain/records/count';
import type { DeliveryEnd, PlannedWindow, RunPlan, Totals } from '../domain/deliveries/delivery';
import { subjectOf } from '../domain/deliveries/subject';
import { timeOfDay } from '../domain/time/instants';
import type { ChannelState } from './channel-state';
import { publishChannel } from './channel-view';
import type { DeliveryReport, FailureDetails } from './close-delivery';
import { feedDelivery } from './feed-delivery';
import { isTooLong } from './history-length';
import type { Lane, OpenDelivery } from './lane';
import {
  deliveryWorkflowId,
  handBackSignal,
  overtakenSignal,
  searchAttributes,
  tryNowSignal,
  type RunRequest,
} from './messages';

export type ActivePlan = Extract<RunPlan, { state: 'active' }>;
/** What a run has spent on refused records. */
export type Spent = Pick<Totals, 'set_aside' | 'probes'>;
type Child = ChildWorkflowHandle<typeof feedDelivery>;

interface Work {
  plan: ActivePlan;
  window: PlannedWindow;
  request: RunRequest;
  spent: Spent;
}

interface ClosedDelivery {
  end: DeliveryEnd;
  /** More records have come than were planned. */
  more?: true | undefined;
  /** The delivery has made an attempt, whether or not the customer answered. */
  answered?: boolean;
  failure?: string;
  not_before?: number | undefined;
  spent: Spent;
}

/** Delivers one window in a child workflow, the row that an operator sees, and forwards signals to it. */
export async function runDelivery(channel: ChannelState, lane: Lane, work: Work): Promise<ClosedDelivery> {
  const { plan, window, spent } = work;
  const id = deliveryWorkflowId(channel.slug, window.entity_type, plan.run, window.catch_up);
  const what = `${count(window.records, 'record')}${window.catch_up ? ' of earlier' : ''}`;
  // Set before the start: `deliveryStalled` may arrive in the same task as the start.
  const open: OpenDelivery = { id, what, stalled: undefined, until: undefined, pendingSignals: new Set() };
  lane.open = open;
  try {
    const child = await start(id, channel, work);
    if (!child) return { end: 'superseded', spent }; // still open from before: the rest is planned again
    publishChannel(channel);
    const result = child.result();
    void forwardSignals(open, child, result);
    const { last, ...ended } = await outcomeOf(result, spent);
    if (window.catch_up) lane.last_catch_up = last;
    else lane.last = last;
    return ended;
  } finally {
    lane.open = undefined;
    publishChannel(channel);
  }
}

async function start(
  workflowId: string,
  { slug }: ChannelState,
  { plan, window, request, spent }: Work,
): Promise<Child | undefined> {
  const { name, cadence_ms, run } = plan;
  const { page_size = plan.page_size } = window;
  const { trigger, request_id } = request;
  try {
    return await startChild(feedDelivery, {
      workflowId,
      args: [
        {
          ...{ ...window, channel: slug, channel_name: name, cadence_ms, page_size, run, trigger, spent },
          ...(request_id !== undefined && { request_id }),
        },
      ],
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      staticSummary: `${subjectOf(window)} to ${name}`,
      staticDetails: `${count(window.records, 'record')} in pages of ${page_size}, ${where(window)}. Started by: ${trigger}.`,
      typedSearchAttributes: new TypedSearchAttributes([
        { key: searchAttributes.channel, value: slug },
        { key: searchAttributes.entityType, value: window.entity_type },
        { key: searchAttributes.trigger, value: trigger },
      ]),
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}

const where = ({ catch_up, from, to }: PlannedWindow) =>
  catch_up ? 'of accounts shared since, or released to be sent again' : `positions ${from + 1} to ${to}`;

const SIGNALS = { tryNow: tryNowSignal, overtaken: overtakenSignal, handBack: handBackSignal };

/** Sends pending signals to a delivery for as long as it is open, and `handBack` once the history is too long. */
async function forwardSignals(
  { pendingSignals }: OpenDelivery,
  child: Child,
  result: Promise<DeliveryReport>,
): Promise<void> {
  let closed = false;
  let handedBack = false;
  const close = () => void (closed = true);
  const isToHandBack = () => isTooLong() && !handedBack;
  result.then(close, close);
  try {
    for (;;) {
      await condition(() => closed || pendingSignals.size > 0 || isToHandBack());
      if (closed) return;
      if (isToHandBack()) {
        handedBack = true;
        pendingSignals.add('handBack');
      }
      for (const signal of pendingSignals) {
        pendingSignals.delete(signal);
        await child.signal(SIGNALS[signal]).catch(() => {}); // it may have closed concurrently
      }
    }
  } catch (error) {
    if (!isCancellation(error)) throw error; // the channel's own wait reports the cancellation
  }
}

async function outcomeOf(
  result: Promise<DeliveryReport>,
  spent: Spent,
): Promise<ClosedDelivery & { last: { failed: boolean; text: string } }> {
  try {
    const { records, end, more, set_aside, probes, attempts } = await result;
    const what = end === 'delivered' ? '' : `, then ${end.replace('_', ' ')}`;
    const text = `${count(records, 'record')} by ${timeOfDay(Date.now())}${what}`;
    const last = { failed: false, text };
    return { end, more, answered: attempts > 0, spent: sum(spent, { set_aside, probes }), last };
  } catch (error) {
    if (isCancellation(error)) {
      const text = `cancelled at ${timeOfDay(Date.now())}`;
      return { end: 'paused', spent, last: { failed: false, text } };
    }
    const cause = error instanceof ChildWorkflowFailure ? error.cause : error;
    if (!(cause instanceof ApplicationFailure)) {
      return { end: 'failed', spent, last: { failed: true, text: 'ended without an outcome' } };
    }
    const [details] = (cause.details ?? []) as FailureDetails[];
    const text = `${cause.message} (${timeOfDay(Date.now())})`;
    const failure = cause.type ?? 'infrastructure';
    const last = { failed: true, text };
    if (!details) return { end: 'failed', failure, spent, last };
    return { end: 'failed', failure, not_before: details.not_before, spent: sum(spent, details), last };
  }
}

const sum = (before: Spent, more: Spent): Spent => ({
  set_aside: before.set_aside + more.set_aside,
  probes: before.probes + more.probes,
});
