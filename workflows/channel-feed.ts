import { condition, continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities';
import type { RunPlan } from '../activities/plan-run';
import { nextDue } from '../domain/cadence';
import { formatInstant } from '../domain/instants';
import { channelStatus, type ChannelView, showChannel } from './channel-view';
import { deliverWindows } from './deliver-windows';
import { type ChannelFeedInput, deliveryStalled, type PlanShown, status, type Trigger } from './messages';
import { timeOfDay } from './sentences';
import { listenForWakes, type Wake } from './wake';

const { planRun } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

// A replay reads the whole history, so a wait that would begin above this begins in a new run (design 4).
const HISTORY_AT_WAIT = 120;

/** One customer's feed: wait until due or until a bell rings, plan, deliver, for as long as the channel is there. */
export async function channelFeed(input: ChannelFeedInput): Promise<void> {
  const { slug, last, health } = input;
  const due = input.due === undefined ? undefined : Date.parse(input.due);
  const view: ChannelView = { slug, due, last: { ...last }, health, open: new Map(), plan: input.shown };
  const wake = listenForWakes(input.wake);
  setHandler(deliveryStalled, ({ delivery, reason }) => markStalled(view, delivery, reason), {
    description: 'The first try of a delivery failed: do not wait for it.',
  });
  setHandler(status, () => channelStatus(view), { description: 'What the channel is doing.' });

  if (view.plan) showChannel(view);
  for (;;) {
    const trigger = await untilDue(view, wake);
    const summary = `plan the run (${trigger})`;
    const plan = await planRun.executeWithOptions({ summary }, [{ slug, trigger }]);
    if (plan.state === 'gone') return;
    view.plan = shown(plan);
    view.due = nextDue(slug, plan.cadence_ms, Date.now());
    if (plan.state === 'active') await deliverWindows(view, plan, trigger, wake);
    // One run for however many points of the grid have passed meanwhile.
    view.due = nextDue(slug, plan.cadence_ms, Date.now());
    showChannel(view);
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    if (continueAsNewSuggested || historyLength > HISTORY_AT_WAIT) await carryOn(view, wake);
  }
}

function shown(plan: Exclude<RunPlan, { state: 'gone' }>): PlanShown {
  const { state, name, markers } = plan;
  const why = plan.state === 'paused' ? { reason: plan.reason } : { not_before: plan.not_before };
  return { state, name, markers, ...why };
}

function markStalled(view: ChannelView, delivery: string, reason: string): void {
  const open = view.open.get(delivery);
  if (!open) return;
  open.stalled = reason;
  showChannel(view);
}

async function untilDue(view: ChannelView, wake: Wake): Promise<Trigger> {
  const left = (view.due ?? 0) - Date.now();
  if (!wake.trigger && left > 0) {
    const summary = `next run ${timeOfDay(Date.now() + left)} UTC`;
    await condition(() => wake.trigger !== undefined, left, { summary });
  }
  return wake.take() ?? 'schedule';
}

/** Goes on with a fresh history: the due time, an unanswered bell and what is shown go along (design 4). */
async function carryOn({ slug, due, last, health, plan }: ChannelView, wake: Wake): Promise<void> {
  await continueAsNew<typeof channelFeed>({
    slug,
    last,
    ...(due === undefined ? {} : { due: formatInstant(due) }),
    ...(health ? { health } : {}),
    ...(plan ? { shown: plan } : {}),
    ...(wake.trigger ? { wake: wake.trigger } : {}),
  });
}
