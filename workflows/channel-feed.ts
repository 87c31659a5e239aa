import { condition, continueAsNew, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities';
import { nextDue } from '../domain/deliveries/cadence';
import { type RunPlan, TRIGGERS } from '../domain/deliveries/delivery';
import type { EntityType } from '../domain/records/entity-types';
import { timeOfDay } from '../domain/time/instants';
import {
  type ChannelState,
  isAnyBusy,
  isAnyReady,
  carryChannel,
  nextDueTime,
  openChannel,
  requestDueRuns,
} from './channel-state';
import { publishChannel } from './channel-view';
import { isLong, isTooLong } from './history-length';
import { isReady, type Lane, noteFailedPlan, requestRun } from './lane';
import { registerHandlers } from './register-handlers';
import type { ChannelFeedInput, RunRequest } from './messages';
import { HEARTBEAT_TIMEOUT, INFRASTRUCTURE_RETRIES } from './infrastructure-retries';
import { workLanes } from './work-lanes';

const { planRun } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: INFRASTRUCTURE_RETRIES,
});

const PLAN_AGAIN_MS = 60_000;

/**
 * One customer's feed, for as long as the channel exists. Every entity type has its own lane: an idle lane is planned
 * when it is due or requested, and delivers what the plan found. The loop waits for no delivery, and no lane waits
 * for another.
 */
export async function channelFeed(input: ChannelFeedInput): Promise<void> {
  const channel = openChannel(input);
  registerHandlers(channel);
  if (channel.plan) publishChannel(channel);
  for (;;) {
    await untilSomethingIsToDo(channel);
    requestDueRuns(channel, Date.now());
    if (isLong() && !isAnyBusy(channel)) await continueAsNew<typeof channelFeed>(carryChannel(channel));
    if (mayPlan(channel) && (await planAndStart(channel)) === 'gone') return;
  }
}

const mayPlan = (channel: ChannelState) => isAnyReady(channel) && !isTooLong();

async function untilSomethingIsToDo(channel: ChannelState): Promise<void> {
  const isToDo = () => mayPlan(channel) || (isLong() && !isAnyBusy(channel));
  const next = nextDueTime(channel);
  const left = next - Date.now();
  if (left <= 0 || isToDo()) return;
  if (!Number.isFinite(next)) return condition(isToDo);
  await condition(isToDo, left, { summary: `next run ${timeOfDay(next)} UTC` });
}

/** Plans and starts the lanes whose request is the most urgent; the others follow in the next round. */
async function planAndStart(channel: ChannelState): Promise<'gone' | 'started'> {
  const ready = channel.lanes.filter(isReady);
  const trigger = TRIGGERS.findLast((one) => ready.some(({ pending }) => pending?.trigger === one))!;
  const lanes = ready.filter(({ pending }) => pending?.trigger === trigger);
  const requests = new Map(lanes.map((lane) => [lane, lane.pending!]));
  for (const lane of lanes) lane.pending = undefined; // later requests are planned next
  const entity_types = lanes.map(({ entity_type }) => entity_type);
  let plan: RunPlan;
  channel.planning = true;
  try {
    const summary = `plan ${entity_types.join(', ')} (${trigger})`;
    plan = await planRun.executeWithOptions({ summary }, [{ slug: channel.slug, trigger, entity_types }]);
  } catch (error) {
    if (isCancellation(error)) throw error;
    for (const [lane, request] of requests) noteFailedPlan(lane, request);
    channel.due = Math.min(channel.due, Date.now() + PLAN_AGAIN_MS);
    return 'started';
  } finally {
    channel.planning = false;
  }
  if (plan.state === 'gone') return 'gone';
  takePlan(channel, plan, entity_types);
  if (plan.state === 'active') {
    holdBack(plan, requests);
    workLanes(channel, plan, requests);
  }
  publishChannel(channel);
  return 'started';
}

function takePlan(
  channel: ChannelState,
  plan: Exclude<RunPlan, { state: 'gone' }>,
  planned: EntityType[],
): void {
  const { state, name, cadence_ms, markers, collects } = plan;
  const isNew = channel.plan?.cadence_ms !== cadence_ms;
  if (isNew || !Number.isFinite(channel.due)) channel.due = nextDue(channel.slug, cadence_ms, Date.now());
  const others = (channel.plan?.markers ?? []).filter(({ entity_type }) => !planned.includes(entity_type));
  channel.plan = {
    state,
    name,
    cadence_ms,
    collects,
    markers: [...markers, ...others],
    ...(plan.state === 'paused' && { reason: plan.reason }),
  };
}

/** A type whose customer sent Retry-After is planned when that time has expired, with its original request. */
function holdBack({ held }: Extract<RunPlan, { state: 'active' }>, requests: Map<Lane, RunRequest>): void {
  for (const [lane, request] of requests) {
    const left = held.find(({ entity_type }) => entity_type === lane.entity_type)?.left_ms;
    lane.held_until = left === undefined ? undefined : Date.now() + left;
    if (left !== undefined) requestRun(lane, request);
  }
}
