import { type DeliveryFailure, isOurs } from '../domain/alert-class';
import type { Outcome } from '../domain/delivery';
import { judgeStreak, pauseReason, type FailureStreak } from '../domain/failure-streak';
import { subjectOf } from '../domain/subject';
import { addNotice, resolveAlerts, raiseAlert } from '../store/alerts/alerts';
import { judgeOnce, pauseFailing } from '../store/deliveries/channel-health';
import { type Channel, findChannel } from '../store/channels/channels';
import type { Store } from '../store/store';

type Judged = Pick<
  Outcome,
  'channel' | 'entity_type' | 'catch_up' | 'status' | 'failure' | 'failure_message'
> & {
  totals: Pick<Outcome['totals'], 'pages'>;
};

/** How many notices there are to send, and whether the channel was paused. */
export interface Consequences {
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
  const failure = outcome.status === 'failed' ? (outcome.failure as DeliveryFailure) : null;
  const confirmed = outcome.totals.pages > 0;
  if (!failure && !confirmed) return NOTHING; // no page was answered: this says nothing of the customer
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
  if (channel.state !== 'paused')
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
  return resolveAlerts(store, { channel, message, isResolved }, now);
}

/** Adds the notice first: if the activity dies in between, its retry pauses. */
async function pauseFor(
  store: Store,
  { _id: slug }: Channel,
  alert: string,
  { since }: FailureStreak,
  reason: string,
  now: Date,
): Promise<number> {
  const key = `paused ${since.toISOString()}`;
  const added = await addNotice(store, alert, {
    key,
    kind: 'paused',
    message: `${reason}. The channel is paused; nothing is lost.`,
    at: now,
  });
  await pauseFailing(store, slug, since, { reason, at: now });
  return added ? 1 : 0;
}
