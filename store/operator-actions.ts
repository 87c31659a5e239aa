import type { Store } from './connect';
import { isDuplicateKey } from './unavailable';

/** What an operator did to a channel, and why: kept for good, shown on the channel's page. */
export interface OperatorAction {
  /** Of the form that asked for it: a second tap on the same form finds the first one's. */
  _id: string;
  channel: string;
  action: OperatorVerb;
  /** What the verb was about: "tickets from 2026-10-01T00:00:00.000Z"; empty where it says all. */
  about: string;
  by: string;
  via: '/ops' | 'gdx';
  reason: string | null;
  request_id: string;
  at: Date;
  /** Null while it is done, and for ever when the process was killed before its end. */
  outcome: string | null;
}

export type OperatorVerb = 'pause' | 'resume' | 'deliver' | 'reset' | 'release';

const actions = (store: Store) => store.db.collection<OperatorAction>('operator_actions');

export const operatorActionIndexes = [{ name: 'channel', key: { channel: 1, at: -1 } }];

/** Kept before it is done, so that nothing is ever done unseen. @returns false when it has been kept before */
export async function openAction(
  store: Store,
  action: Omit<OperatorAction, 'at' | 'outcome'>,
): Promise<boolean> {
  try {
    await actions(store).insertOne({ ...action, at: new Date(), outcome: null });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

export async function closeAction(store: Store, id: string, outcome: string): Promise<void> {
  await actions(store).updateOne({ _id: id }, { $set: { outcome } });
}

/** Newest first. */
export async function listActions(store: Store, channel: string, limit: number): Promise<OperatorAction[]> {
  return actions(store).find({ channel }).sort({ at: -1 }).limit(limit).toArray();
}
