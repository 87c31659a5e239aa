import type { Alert } from './alerts';
import type { Store } from '../store';

// Longer than one pass of sending, so that only one of two senders gets an alert.
const CLAIM_MS = 60_000;

const alerts = (store: Store) => store.db.collection<Alert>('alerts');

/** Claims the alert with unsent notices that was tried longest ago, for a minute. */
export async function claimUnsent(store: Store, now: Date): Promise<Alert | null> {
  return alerts(store).findOneAndUpdate(
    { unsent: { $gt: 0 }, claimed_at: { $lte: new Date(now.getTime() - CLAIM_MS) } },
    { $set: { claimed_at: now } },
    { sort: { claimed_at: 1 }, returnDocument: 'after' },
  );
}

/** Marks a notice as delivered. */
export async function markSent(store: Store, id: string, key: string, now: Date): Promise<void> {
  await alerts(store).updateOne(
    { _id: id, notices: { $elemMatch: { key, sent_at: null } } },
    { $set: { 'notices.$.sent_at': now }, $inc: { unsent: -1 } },
  );
}

/** Releases the claim, so that the next notice can be sent at once. */
export async function releaseClaim(store: Store, { _id, claimed_at }: Alert): Promise<void> {
  await alerts(store).updateOne({ _id, claimed_at }, { $set: { claimed_at: new Date(0) } });
}

/** How many alerts have unsent notices. */
export async function countUnsent(store: Store): Promise<number> {
  return alerts(store).countDocuments({ unsent: { $gt: 0 } });
}
