import { condition, isCancellation } from '@temporalio/workflow';
import type { PlannedWindow, RunPlan } from '../domain/delivery';
import type { ChannelState } from './channel-state';
import { publishChannel } from './channel-view';
import { afterDelivery, type Lane, leftOf, requestAgain } from './lane';
import type { RunRequest } from './messages';
import { type ActivePlan, runDelivery, type Spent } from './run-delivery';

// A courtesy to receivers: accounts come before the records that name them, unless they take longer than this.
const HEAD_START_MS = 2_000;

/** The progress of a lane's first delivery, for the lane that starts after it. */
interface HeadStart {
  lane?: Lane;
  begun: boolean;
  closed: boolean;
}

const hasEnded = ({ lane, closed }: HeadStart) => closed || lane?.open?.stalled !== undefined;

/**
 * Starts the work of every planned lane and returns at once. Lanes start in the order of types, each when the
 * previous one has closed its first delivery, has stalled or has had two seconds.
 */
export function workLanes(
  channel: ChannelState,
  plan: Extract<RunPlan, { state: 'active' }>,
  requests: Map<Lane, RunRequest>,
): void {
  let before: HeadStart = { begun: true, closed: true };
  for (const [lane, request] of requests) {
    const windows = plan.windows.filter(({ entity_type }) => entity_type === lane.entity_type);
    if (windows.length === 0) continue;
    const own: HeadStart = { lane, begun: false, closed: false };
    lane.busy = true;
    workLane(channel, lane, { plan, windows, request, before, own }).catch((error: unknown) => {
      if (!isCancellation(error)) throw error; // the channel's own wait reports the cancellation
    });
    before = own;
  }
}

async function workLane(
  channel: ChannelState,
  lane: Lane,
  work: {
    plan: ActivePlan;
    windows: PlannedWindow[];
    request: RunRequest;
    before: HeadStart;
    own: HeadStart;
  },
): Promise<void> {
  const { plan, windows, request, before, own } = work;
  try {
    if (await mayBegin(channel, lane, before)) {
      own.begun = true;
      await deliverWindows(channel, lane, { plan, windows, request, own });
    } else requestAgain(lane, request); // planned again, together with later requests
  } finally {
    own.begun = own.closed = true;
    lane.busy = false;
    publishChannel(channel);
  }
}

/**
 * Waits for the previous lane's head start, unless an operator wants a run now. @returns false when the plan is
 * obsolete
 */
async function mayBegin(channel: ChannelState, lane: Lane, before: HeadStart): Promise<boolean> {
  const isOvertaken = () => channel.ending || lane.pending?.trigger === 'reset';
  const isUrgent = () => isOvertaken() || lane.pending?.trigger === 'deliver-now';
  if (!before.begun) await condition(() => before.begun || isUrgent());
  if (!hasEnded(before)) await condition(() => hasEnded(before) || isUrgent(), HEAD_START_MS);
  return !isOvertaken();
}

async function deliverWindows(
  channel: ChannelState,
  lane: Lane,
  {
    plan,
    windows,
    request,
    own,
  }: { plan: ActivePlan; windows: PlannedWindow[]; request: RunRequest; own: HeadStart },
): Promise<void> {
  let spent: Spent = { set_aside: 0, probes: 0 };
  for (const window of windows) {
    const ended = await runDelivery(channel, lane, { plan, window, request, spent });
    own.closed = true;
    spent = ended.spent;
    const next = afterDelivery(window, leftOf(request, ended), ended);
    if (next.request) requestAgain(lane, next.request);
    if (next.held_until !== undefined) lane.held_until = next.held_until;
    if (!next.go_on) return;
    if (channel.ending) return requestAgain(lane, request); // the next run plans the rest
  }
}
