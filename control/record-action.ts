import { closeAction, openAction, type OperatorAction } from '../store/callers/operator-actions';
import type { OutboundRule } from '../domain/settings/denied-address';
import { HOUR_MS, MINUTE_MS } from '../domain/time/spans';
import { type AttemptLimit, countAttempt } from '../store/codes/attempt-counts';
import type { Store } from '../store/store';
import type { ChannelClient } from '../temporal/channel-client';

/** What a use case works with. */
export interface Parts {
  store: Store;
  temporal: ChannelClient;
  /** For what only pages have. */
  pages?: OutboundRule & { publicUrl: string };
}

/** Who asks, through which door, and why. */
export interface Asker extends Pick<OperatorAction, 'by' | 'via' | 'reason' | 'request_id' | 'expires_at'> {
  /** A UUID: asked for again with the same one, an action is done once. */
  action_id: string;
}

/** The outcome of an action, as every door says it. */
export interface Result {
  /** Whole sentences, for people; recorded with the action. */
  outcome: string;
  /** False: Temporal is away, and the next run honours the action. */
  signalled: boolean;
}

/** What is recorded of an action before it is done. */
export type Recorded = Required<Pick<OperatorAction, 'action' | 'channel' | 'before'>> & { about?: string };

/** The customer has done as much of this as it may for now. */
export class TooManyActions extends Error {
  override name = 'TooManyActions';

  constructor(readonly waitMs: number) {
    super('too many of these; wait and try again');
  }
}

/** The doors of a customer. */
export const OF_CUSTOMERS: readonly Asker['via'][] = ['/customer', 'API'];

// Each is recorded for as long as reports are kept, so their number is bounded, whichever door the customer asks at. A
// customer may ask for its records in many small pieces.
const USUAL: AttemptLimit = { limit: 60, windowMs: MINUTE_MS };
const LIMITS: Partial<Record<string, AttemptLimit>> = {
  resend: { limit: 600, windowMs: MINUTE_MS },
  // Each change of the notification address posts notices to the addresses before it.
  'channel set': { limit: 20, windowMs: HOUR_MS },
};

async function countAction(store: Store, { action, channel }: Recorded): Promise<void> {
  const waitMs = await countAttempt(store, `${action}/${channel}`, LIMITS[action] ?? USUAL);
  if (waitMs > 0) throw new TooManyActions(waitMs);
}

/**
 * Records who asks for what and why, has it done, and records the outcome: in this order, so that nothing is done unseen.
 * @returns undefined when the same action was recorded before: it is not done again
 * @throws TooManyActions
 */
export async function recordAction<R extends Pick<Result, 'outcome'>>(
  { store }: Pick<Parts, 'store'>,
  { action_id: _id, ...asker }: Asker,
  action: Recorded,
  run: () => Promise<R>,
): Promise<R | undefined> {
  if (OF_CUSTOMERS.includes(asker.via)) await countAction(store, action);
  if (!(await openAction(store, { _id, about: '', ...action, ...asker }))) return undefined;
  const result = await run();
  await closeAction(store, { ...asker, _id, channel: action.channel }, result.outcome);
  return result;
}
