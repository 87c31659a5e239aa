import type { PageFailure } from './classify-answer';
import { HOUR_MS } from '../time/spans';

/** Why a delivery failed: the customer's answer, or a long outage of our own (MongoDB or the workers). */
export type DeliveryFailure = PageFailure | 'infrastructure';

/** Our own failure: it neither pauses the channel nor counts towards its failure streak. */
export const isOurs = (failure: string | null): failure is 'infrastructure' => failure === 'infrastructure';

/**
 * The classes that are not failed deliveries: a channel that has stopped delivering, abuse of its sign-in codes, a
 * phone that a company lists for many names, an integration that has stopped pushing, records that a customer has
 * refused one by one, and a test of the webhook.
 */
const NO_FAILURES = ['stale', 'codes', 'crowded', 'silent', 'set_aside', 'test'] as const;

/** What an operator is alerted to. */
export type AlertClass = DeliveryFailure | (typeof NO_FAILURES)[number];

/** Whether the alert is about deliveries that fail. */
export const isFailure = (kind: AlertClass): kind is DeliveryFailure =>
  !(NO_FAILURES as readonly AlertClass[]).includes(kind);

/** Why a notice is sent: the first failure of a class, a day of failures, a pause, or recovery. */
export type NoticeKind = 'opened' | 'day' | 'paused' | 'resolved';

/** A channel's failures since the last confirmed page or empty run. */
export interface FailureStreak {
  since: Date;
  /** The class of the latest failure, and the time since which every failure was of this class. */
  failure: PageFailure;
  failure_since: Date;
}

/** What the streak needs to know of a finished delivery. */
export interface EndedDelivery {
  failure: PageFailure | null;
  /** The customer confirmed a page. */
  confirmed: boolean;
}

export type PauseCause = 'gone' | 'unauthorized' | 'nothing_confirmed';

/** The consequences of a delivery's end, stored in its report; null: no streak, no pause. */
export interface Judgement {
  streak: FailureStreak | null;
  pause: PauseCause | null;
}

const UNAUTHORIZED_MS = 24 * HOUR_MS;
const NOTHING_CONFIRMED_MS = 5 * 24 * HOUR_MS;

/**
 * Updates a channel's failure streak after a delivery, and decides whether the channel pauses: at once for `gone`,
 * after 24 hours of nothing but `unauthorized`, after five days of nothing but failures (docs/contract.md C14).
 */
export function judgeStreak(
  before: FailureStreak | undefined,
  { failure, confirmed }: EndedDelivery,
  now: Date,
): Judgement {
  const earlier = confirmed ? undefined : before;
  if (!failure) return { streak: earlier ?? null, pause: null };
  const streak = {
    since: earlier?.since ?? now,
    failure,
    failure_since: earlier?.failure === failure ? earlier.failure_since : now,
  };
  return { streak, pause: pauseCause(streak, now.getTime()) };
}

function pauseCause({ since, failure, failure_since }: FailureStreak, now: number): PauseCause | null {
  if (failure === 'gone') return 'gone';
  if (failure === 'unauthorized' && now - failure_since.getTime() >= UNAUTHORIZED_MS) return 'unauthorized';
  return now - since.getTime() >= NOTHING_CONFIRMED_MS ? 'nothing_confirmed' : null;
}

/**
 * The reason of a pause, with what to do, for an operator.
 * @param message the failure's own message: "Acme answered 401 and confirmed none of the last 3 attempts: check ..."
 */
export function pauseReason(
  cause: PauseCause,
  channel: { _id: string; name: string },
  message: string,
): string {
  const { _id: slug, name } = channel;
  const resume = `then gdx channel resume ${slug}`;
  const answered = /answered \d{3}/.exec(message)?.[0];
  switch (cause) {
    case 'gone':
      return `${name} ${answered ?? 'says that the feed is gone'}: ask whether the feed is still wanted, ${resume}`;
    case 'unauthorized':
      return `${name} ${answered ?? 'did not authorize us'} for 24 hours: check the channel’s authorization, ${resume}`;
    case 'nothing_confirmed':
      return `${name} confirmed nothing for five days (last: ${message.replace(/: .*/, '')}): call them, ${resume}`;
  }
}
