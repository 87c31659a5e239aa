import type { Failure } from '../domain/classify-answer';
import { judgeTrouble, pauseReason, type Trouble } from '../domain/judge-trouble';
import { subjectOf } from '../domain/subject';
import { addNotice, calmAlerts, raiseAlert } from '../store/alerts';
import { pauseFailing, setTrouble } from '../store/channel-trouble';
import { type Channel, findChannel } from '../store/channels';
import type { Store } from '../store/connect';
import type { Outcome } from './record-outcome';

type Judged = Pick<
  Outcome,
  'channel' | 'entity_type' | 'catch_up' | 'status' | 'failure' | 'failure_message'
> & {
  totals: Pick<Outcome['totals'], 'pages'>;
};

/** How many notices there are to send, and whether the channel was paused. */
export interface Judgement {
  notices: number;
  paused: boolean;
}

const NOTHING: Judgement = { notices: 0, paused: false };

/**
 * What a delivery's end means for its channel: its trouble, its alerts, a pause. Judging the same end again changes
 * nothing, as activities are tried again.
 */
export async function judgeOutcome(store: Store, outcome: Judged, now: Date): Promise<Judgement> {
  const channel = await findChannel(store, outcome.channel);
  if (!channel) return NOTHING;
  const failure = outcome.status === 'failed' ? (outcome.failure as Failure) : null;
  const confirmed = outcome.totals.pages > 0;
  if (!failure && !confirmed) return NOTHING; // nothing was posted, or not to its end: it says nothing of the customer
  const { trouble, pause } = judgeTrouble(channel.failing, { failure, confirmed }, now);
  await setTrouble(store, channel._id, trouble, confirmed ? now : undefined);
  let notices = confirmed ? await calm(store, channel, outcome, failure, now) : 0;
  if (!failure || !trouble) return { notices, paused: false };

  const message = outcome.failure_message ?? failure;
  const alert = { channel: channel._id, class: failure, subject: subjectOf(outcome), message };
  const { id, opened } = await raiseAlert(store, alert, now);
  if (opened) notices += 1;
  if (!pause) return { notices, paused: false };
  if (channel.state !== 'paused')
    notices += await pauseFor(store, channel, id, trouble, pauseReason(pause, channel, message), now);
  return { notices, paused: true };
}

/** A page of a failing delivery was confirmed: what failed otherwise before does not now; its own failure stands. */
function calm(
  store: Store,
  { _id: channel, name }: Channel,
  outcome: Judged,
  failure: Failure | null,
  now: Date,
): Promise<number> {
  const subject = subjectOf(outcome);
  const message = `${name} confirms ${subject} again`;
  const isCalm = (failing: string, kind: string) => failing === subject && kind !== failure;
  return calmAlerts(store, { channel, message, isCalm }, now);
}

/** The notice first: cut off in between, the next try pauses. */
async function pauseFor(
  store: Store,
  { _id: slug }: Channel,
  alert: string,
  { since }: Trouble,
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
