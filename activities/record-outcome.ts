import { timeNow } from '../domain/time/elapsed';
import type { Logger } from 'pino';
import {
  type DeliveryFailure,
  type FailureStreak,
  isOurs,
  judgeStreak,
  pauseReason,
} from '../domain/deliveries/alert-class';
import type { Outcome } from '../domain/deliveries/delivery';
import { subjectOf } from '../domain/deliveries/subject';
import { countDelivery } from '../telemetry/counts';
import { addNotice, raiseAlert, resolveAlerts } from '../store/alerts/alerts';
import { type Channel, findChannel } from '../store/channels/channels';
import { judgeOnce, pauseFailing } from '../store/deliveries/channel-health';
import { closeDeliveryReport, openDeliveryReport } from '../store/deliveries/deliveries';
import { noteComplete } from '../store/digest/complete-through';
import type { Store } from '../store/store';
import { inTransaction } from '../store/transact';
import type { ChannelWorkflows } from './channel-workflows';
import { currentDelivery, withHeartbeat } from './current-delivery';

interface Deps {
  store: Store;
  temporal: ChannelWorkflows;
  log: Logger;
  retentionDays: number;
}

/**
 * Closes the report of a delivery and judges what its end means for the channel, both exactly once even when
 * the activity is retried. Counts the delivery and logs one line, both at most once.
 * @returns how many notices there are to send
 */
export function createRecordOutcome(deps: Deps) {
  return (outcome: Outcome): Promise<number> => withHeartbeat(() => record(deps, outcome));
}

async function record({ store, temporal, log, retentionDays }: Deps, outcome: Outcome): Promise<number> {
  const { delivery, runId } = currentDelivery();
  const { channel, status, failure, failure_message, attempts, duration_ms } = outcome;
  // A delivery that never reached MongoDB has no report yet.
  await openDeliveryReport(store, { ...outcome, _id: delivery, workflow_run_id: runId }, retentionDays);
  const end = { status, failure, failure_message, attempts, duration_ms };
  if (await closeDeliveryReport(store, delivery, end, retentionDays)) {
    countDelivery(outcome);
    log[status === 'failed' ? 'warn' : 'info']({ delivery, ...outcome }, `delivery ${status}`);
  }
  const { notices, paused } = await judgeOutcome(store, delivery, outcome, timeNow());
  // Its workflow shows the pause at once, not with the next run.
  if (paused) await temporal.settingsChanged(channel, 'paused');
  return notices;
}

type Judged = Pick<
  Outcome,
  'channel' | 'entity_type' | 'catch_up' | 'status' | 'failure' | 'failure_message'
> & {
  totals: Pick<Outcome['totals'], 'pages'>;
};

/** How many notices there are to send, and whether the channel was paused. */
interface Consequences {
  notices: number;
  paused: boolean;
}

const NOTHING: Consequences = { notices: 0, paused: false };

/**
 * Applies a delivery's end to its channel: failure streak, alerts, pause. Idempotent, as activities are retried; a
 * retry continues where the activity died.
 * @param delivery its report is closed with this outcome
 */
export async function judgeOutcome(
  store: Store,
  delivery: string,
  outcome: Judged,
  now: Date,
): Promise<Consequences> {
  const channel = await findChannel(store, outcome.channel);
  if (!channel) return NOTHING;
  await noteComplete(store, channel._id);
  const failure = outcome.status === 'failed' ? (outcome.failure as DeliveryFailure) : null;
  const confirmed = outcome.totals.pages > 0;
  if (!failure && !confirmed) return NOTHING; // this says nothing of the customer
  const theirs = failure && !isOurs(failure) ? failure : null;
  const judged = await judgeOnce(store, {
    id: delivery,
    channel: channel._id,
    status: outcome.status,
    now,
    judge: (before) => judgeStreak(before, { failure: theirs, confirmed }, now),
    freshAt: confirmed ? now : undefined,
  });
  if (!judged) return NOTHING;
  const { streak, pause } = judged;
  let notices = confirmed ? await resolveConfirmed(store, channel, outcome, failure, now) : 0;
  if (!failure) return { notices, paused: false };

  const message = outcome.failure_message ?? failure;
  const alert = { channel: channel._id, class: failure, subject: subjectOf(outcome), message };
  const { id, opened } = await raiseAlert(store, alert, now);
  if (opened) notices += 1;
  if (!pause || !streak) return { notices, paused: false };
  notices += await pauseFor(store, channel, id, streak, pauseReason(pause, channel, message), now);
  return { notices, paused: true };
}

/** A confirmed page resolves earlier alerts of other kinds; the failure of this delivery stands. */
function resolveConfirmed(
  store: Store,
  { _id: channel, name }: Channel,
  outcome: Judged,
  failure: DeliveryFailure | null,
  now: Date,
): Promise<number> {
  const subject = subjectOf(outcome);
  const message = `${name} confirms ${subject} again`;
  const isResolved = (failing: string, kind: string) => failing === subject && kind !== failure;
  return resolveAlerts(store, { channel, message, isResolved, isFresh: true }, now);
}

/** The pause and its notice, both or neither: of several pauses at the same moment one is told. */
function pauseFor(
  store: Store,
  { _id: slug }: Channel,
  alert: string,
  { since }: FailureStreak,
  reason: string,
  now: Date,
): Promise<number> {
  const key = `paused ${since.toISOString()}`;
  const message = `${reason}. The channel is paused; nothing is lost.`;
  return inTransaction(store, async (session) => {
    if (!(await pauseFailing(store, slug, since, { reason, at: now }, session))) return 0;
    return Number(await addNotice(store, alert, { key, kind: 'paused', message, at: now }, session));
  });
}
