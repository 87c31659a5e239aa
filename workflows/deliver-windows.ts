import {
  ApplicationFailure,
  ChildWorkflowFailure,
  condition,
  type ChildWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  startChild,
} from '@temporalio/workflow';
import { TypedSearchAttributes, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { PlannedWindow, RunPlan } from '../activities/plan-run';
import { count } from '../domain/count';
import { subjectOf } from '../domain/subject';
import { type ChannelView, showChannel } from './channel-view';
import { feedDelivery } from './feed-delivery';
import { deliveryWorkflowId, type LastDelivery, searchAttributes, type Trigger, tryNow } from './messages';
import { timeOfDay } from './sentences';
import type { Wake } from './wake';

type ActivePlan = Extract<RunPlan, { state: 'active' }>;
type Child = ChildWorkflowHandle<typeof feedDelivery>;

/**
 * Delivers a run's windows in their order, each in a workflow of its own. The next one starts when the one before has
 * closed or has stalled, so no entity type holds up another (design 4). Returns when all have closed.
 */
export async function deliverWindows(
  view: ChannelView,
  plan: ActivePlan,
  trigger: Trigger,
  wake: Wake,
): Promise<void> {
  const children = new Map<string, Child>();
  const stopPassing = passOnRings(wake, children);
  for (const window of plan.windows) {
    const id = deliveryWorkflowId(view.slug, window.entity_type, plan.run, window.catch_up);
    // Before it starts: the news that it stalled can come together with the news that it started.
    view.open.set(id, {});
    const child = await startDelivery(id, view, plan, window, trigger);
    if (!child) {
      view.open.delete(id); // still open from before: the next run plans what is left
      continue;
    }
    children.set(id, child);
    void closeWhenDone(view, window, child, wake).then(() => children.delete(id));
    showChannel(view);
    await condition(() => isClosedOrStalled(view, id));
  }
  await condition(() => view.open.size === 0);
  await stopPassing();
}

async function startDelivery(
  workflowId: string,
  view: ChannelView,
  plan: ActivePlan,
  window: PlannedWindow,
  trigger: Trigger,
): Promise<Child | undefined> {
  const { entity_type: type, records } = window;
  const subject = subjectOf(window);
  try {
    return await startChild(feedDelivery, {
      workflowId,
      args: [
        {
          channel: view.slug,
          channel_name: plan.name,
          cadence_ms: plan.cadence_ms,
          page_size: plan.page_size,
          run: plan.run,
          trigger,
          ...window,
        },
      ],
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      staticSummary: `${subject} to ${plan.name}`,
      staticDetails: `${count(records, 'record')} in pages of ${plan.page_size}, ${where(window)}. Started by: ${trigger}.`,
      typedSearchAttributes: new TypedSearchAttributes([
        { key: searchAttributes.channel, value: view.slug },
        { key: searchAttributes.entityType, value: type },
        { key: searchAttributes.trigger, value: trigger },
      ]),
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}

function isClosedOrStalled({ open }: ChannelView, id: string): boolean {
  const delivery = open.get(id);
  return !delivery || delivery.stalled !== undefined;
}

const where = ({ catch_up, from, to }: PlannedWindow) =>
  catch_up ? 'of accounts shared since, or released to be sent again' : `positions ${from + 1} to ${to}`;

async function closeWhenDone(
  view: ChannelView,
  window: PlannedWindow,
  child: Child,
  wake: Wake,
): Promise<void> {
  const { resized, ...last } = await outcomeOf(child);
  if (resized) wake.ring('settings'); // the rest is planned anew at once (delivery, "Answers")
  view.last[subjectOf(window)] = last;
  view.open.delete(child.workflowId);
  showChannel(view);
}

async function outcomeOf(child: Child): Promise<LastDelivery & { resized?: boolean }> {
  try {
    const { records, end } = await child.result();
    const what = end === 'delivered' ? '' : `, then ${end}`;
    const text = `${count(records, 'record')} by ${timeOfDay(Date.now())}${what}`;
    return { failed: false, text, resized: end === 'resized' };
  } catch (error) {
    if (isCancellation(error)) return { failed: false, text: `cancelled at ${timeOfDay(Date.now())}` };
    const cause = error instanceof ChildWorkflowFailure ? error.cause : error;
    const text = cause instanceof ApplicationFailure ? cause.message : 'ended without an outcome';
    return { failed: true, text: `${text} (${timeOfDay(Date.now())})` };
  }
}

/** A ring during a run: every open delivery tries at once. @returns the function that ends the passing on */
function passOnRings(wake: Wake, children: Map<string, Child>): () => Promise<void> {
  let done = false;
  const passing = (async () => {
    for (let passed = wake.rings; ;) {
      await condition(() => done || wake.rings > passed);
      if (done) return;
      passed = wake.rings; // one that rings while this one is passed on is passed on next
      for (const child of children.values()) {
        // a delivery that has closed meanwhile needs no ring
        await child.signal(tryNow, { trigger: wake.trigger ?? 'deliver-now' }).catch(() => {});
      }
    }
  })();
  passing.catch(() => {}); // cancelled with the run, whose own wait says so
  return () => {
    done = true;
    return passing;
  };
}
