import { isCancellation } from '@temporalio/workflow';
import type { ChannelState } from './channel-state';
import { publishChannel } from './channel-view';
import { afterDelivery, type Lane, leftOf, requestAgain } from './lane';
import type { RunRequest } from './messages';
import { type ActivePlan, runDelivery, type Spent } from './run-delivery';

/** Starts the work of every planned lane and returns at once. No lane waits for another. */
export function workLanes(channel: ChannelState, plan: ActivePlan, requests: Map<Lane, RunRequest>): void {
  for (const [lane, request] of requests) {
    if (!plan.windows.some(({ entity_type }) => entity_type === lane.entity_type)) continue;
    workLane(channel, lane, plan, request).catch((error: unknown) => {
      if (!isCancellation(error)) throw error; // the channel's own wait reports the cancellation
    });
  }
}

async function workLane(
  channel: ChannelState,
  lane: Lane,
  plan: ActivePlan,
  request: RunRequest,
): Promise<void> {
  let spent: Spent = { set_aside: 0, probes: 0 };
  lane.busy = true;
  try {
    for (const window of plan.windows.filter(({ entity_type }) => entity_type === lane.entity_type)) {
      const ended = await runDelivery(channel, lane, { plan, window, request, spent });
      spent = ended.spent;
      const next = afterDelivery(window, leftOf(request, ended), ended);
      requestAgain(lane, next.request);
      if (next.held_until !== undefined) lane.held_until = next.held_until;
      if (!next.go_on) return;
    }
  } finally {
    lane.busy = false;
    publishChannel(channel);
  }
}
