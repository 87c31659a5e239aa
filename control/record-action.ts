import { closeAction, openAction, type OperatorAction } from '../store/callers/operator-actions';
import type { Store } from '../store/store';
import type { ChannelClient } from '../temporal/channel-client';

/** What a use case works with. */
export interface Parts {
  store: Store;
  temporal: ChannelClient;
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

/**
 * Records who asks for what and why, has it done, and records the outcome: in this order, so that nothing is done unseen.
 * @returns undefined when the same action was recorded before: it is not done again
 */
export async function recordAction<R extends Pick<Result, 'outcome'>>(
  { store }: Pick<Parts, 'store'>,
  { action_id: _id, ...asker }: Asker,
  action: Recorded,
  run: () => Promise<R>,
): Promise<R | undefined> {
  if (!(await openAction(store, { _id, about: '', ...action, ...asker }))) return undefined;
  const result = await run();
  await closeAction(store, _id, result.outcome);
  return result;
}
