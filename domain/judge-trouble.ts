import type { Failure } from './classify-answer';

/** What has been failing on a channel. Nothing of it was confirmed since then. */
export interface Trouble {
  since: Date;
  /** The last failure, and since when no other one has come between. */
  failure: Failure;
  failure_since: Date;
}

/** How a delivery ended, as far as its channel's trouble goes. */
export interface DeliveryEnd {
  failure: Failure | null;
  /** It confirmed a page, or had nothing left to confirm. */
  confirmed: boolean;
}

export type PauseCause = 'gone' | 'unauthorized' | 'nothing_confirmed';

const HOUR_MS = 3_600_000;
const UNAUTHORIZED_MS = 24 * HOUR_MS;
const NOTHING_CONFIRMED_MS = 5 * 24 * HOUR_MS;

/**
 * What a delivery's end makes of its channel's trouble, and whether the channel pauses for it: at once when it is gone,
 * after 24 hours of nothing but unauthorized, after five days of nothing but failures (delivery, "Answers").
 */
export function judgeTrouble(
  before: Trouble | undefined,
  { failure, confirmed }: DeliveryEnd,
  now: Date,
): { trouble: Trouble | undefined; pause: PauseCause | undefined } {
  const earlier = confirmed ? undefined : before;
  if (!failure) return { trouble: earlier, pause: undefined };
  const trouble = {
    since: earlier?.since ?? now,
    failure,
    failure_since: earlier?.failure === failure ? earlier.failure_since : now,
  };
  return { trouble, pause: pauseCause(trouble, now.getTime()) };
}

function pauseCause({ since, failure, failure_since }: Trouble, now: number): PauseCause | undefined {
  if (failure === 'gone') return 'gone';
  if (failure === 'unauthorized' && now - failure_since.getTime() >= UNAUTHORIZED_MS) return 'unauthorized';
  return now - since.getTime() >= NOTHING_CONFIRMED_MS ? 'nothing_confirmed' : undefined;
}

/**
 * The reason as an operator reads it, with what to do.
 * @param said the failure's own message: "Acme answered 401 to the last 3 attempts: check ..."
 */
export function pauseReason(cause: PauseCause, channel: { _id: string; name: string }, said: string): string {
  const { _id: slug, name } = channel;
  const resume = `then gdx channel resume ${slug}`;
  const answered = /answered \d{3}/.exec(said)?.[0];
  switch (cause) {
    case 'gone':
      return `${name} ${answered ?? 'says that the feed is gone'}: ask whether the feed is still wanted, ${resume}`;
    case 'unauthorized':
      return `${name} ${answered ?? 'did not authorize us'} for 24 hours: check the channel’s authorization, ${resume}`;
    case 'nothing_confirmed':
      return `${name} confirmed nothing for five days (last: ${said.replace(/:.*/, '')}): call them, ${resume}`;
  }
}
