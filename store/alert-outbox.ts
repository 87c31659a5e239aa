import type { Alert } from './alerts';
import type { Store } from './connect';

// Longer than one pass of sending takes: of two senders one gets an alert.
const CLAIM_MS = 60_000;

const alerts = (store: Store) => store.db.collection<Alert>('alerts');

/** The alert with unsent notices that was tried longest ago; nobody else is given it for a minute. */
export async function claimUnsent(store: Store, now: Date): Promise<Alert | null> {
  return alerts(store).findOneAndUpdate(
    { unsent: { $gt: 0 }, claimed_at: { $lte: new Date(now.getTime() - CLAIM_MS) } },
    { $set: { claimed_at: now } },
    { sort: { claimed_at: 1 }, returnDocument: 'after' },
  );
}

/** The notice has reached the operator. */
export async function markSent(store: Store, id: string, key: string, now: Date): Promise<void> {
  await alerts(store).updateOne(
    { _id: id, notices: { $elemMatch: { key, sent_at: null } } },
    { $set: { 'notices.$.sent_at': now }, $inc: { unsent: -1 } },
  );
}

/** What comes next can be sent at once. */
export async function releaseClaim(store: Store, { _id, claimed_at }: Alert): Promise<void> {
  await alerts(store).updateOne({ _id, claimed_at }, { $set: { claimed_at: new Date(0) } });
}

/** How many alerts have something that was not sent. */
export async function countUnsent(store: Store): Promise<number> {
  return alerts(store).countDocuments({ unsent: { $gt: 0 } });
}
