import type { ClientSession } from 'mongodb';
import type { AlertClass, NoticeKind } from '../../domain/deliveries/alert-class';
import type { Company } from '../../domain/records/render-record';
import { type Channel, slugRange } from '../channels/channels';
import type { Store } from '../store';
import { isFirst } from '../unavailable';
import { DAY_MS } from '../../domain/time/spans';

/** Something an operator should know of; at most one is open per channel and class. */
export interface Alert {
  /** `<channel>/<class>/<number>`, so that only one of two concurrent calls opens it. */
  _id: string;
  /** The channel's slug. An alert about something else has a name with a slash, as no slug has one: `integration/<id>`, `SHARING_CODES`. */
  channel: string;
  integration?: string;
  /** Whose records the integration pushes. */
  company?: Company;
  class: AlertClass;
  number: number;
  state: 'open' | 'resolved';
  /** The entity types, or their catch-ups, that still fail. Empty for `stale`. */
  subjects: string[];
  /** The message of the last failure. */
  message: string;
  opened_at: Date;
  last_failed_at: Date;
  resolved_at: Date | null;
  /** The outbox, part of the alert so that an alert and its notice are written atomically. */
  notices: Notice[];
  unsent: number;
  /** How many of its notices are not yet handed on to the customer. */
  untold: number;
  /** When a sender last claimed it; other senders skip it for a while. */
  claimed_at: Date;
  /** Set when it is resolved. */
  expires_at?: Date;
}

export interface Notice {
  /** One notice per key, however often the event is seen. */
  key: string;
  kind: NoticeKind;
  message: string;
  at: Date;
  sent_at: Date | null;
}

const RETENTION_MS = 400 * DAY_MS;

export const alerts = (store: Store) => store.db.collection<Alert>('alerts');

export const alertIndexes = [
  { name: 'number', key: { channel: 1, class: 1, number: -1 }, unique: true },
  { name: 'open', key: { state: 1, channel: 1 } },
  { name: 'untold', key: { untold: 1 } },
  { name: 'unsent', key: { unsent: 1, claimed_at: 1 } },
  { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 },
];

type AlertCause = Pick<Alert, 'channel' | 'integration' | 'company' | 'class' | 'message'> & {
  subject?: string | undefined;
};

/** Opens the alert with its first notice, or keeps it open. @returns its id, and whether it was opened now */
export async function raiseAlert(
  store: Store,
  { subject, ...about }: AlertCause,
  now: Date,
): Promise<{ id: string; opened: boolean }> {
  const { channel, class: kind, message } = about;
  for (;;) {
    const open = await alerts(store).findOneAndUpdate(
      { channel, class: kind, state: 'open' },
      { $set: { message, last_failed_at: now }, ...(subject && { $addToSet: { subjects: subject } }) },
    );
    if (open) return { id: open._id, opened: false };
    const last = await alerts(store).findOne({ channel, class: kind }, { sort: { number: -1 } });
    if (last?.state === 'open') continue; // opened concurrently
    const number = (last?.number ?? 0) + 1;
    const id = `${channel}/${kind}/${number}`;
    const raised = alerts(store).insertOne({
      _id: id,
      ...about,
      number,
      state: 'open',
      subjects: subject ? [subject] : [],
      opened_at: now,
      last_failed_at: now,
      resolved_at: null,
      notices: [{ key: 'opened', kind: 'opened', message, at: now, sent_at: null }],
      unsent: 1,
      untold: 1,
      claimed_at: new Date(0),
    });
    if (await isFirst(raised)) return { id, opened: true }; // of two at once the second finds the first one's
  }
}

/** Adds a notice to an open alert, once per key. @returns whether it was added */
export async function addNotice(
  store: Store,
  id: string,
  notice: Omit<Notice, 'sent_at'>,
  session?: ClientSession,
): Promise<boolean> {
  const added = await alerts(store).updateOne(
    { _id: id, state: 'open', 'notices.key': { $ne: notice.key } },
    { $push: { notices: { ...notice, sent_at: null } }, $inc: { unsent: 1, untold: 1 } },
    { ...(session && { session }) },
  );
  return added.modifiedCount === 1;
}

/**
 * Removes from a channel's open alerts the subjects that no longer fail; an alert without subjects is resolved.
 * @param resolving `isFresh`: the channel has just confirmed something, so it is stale no longer
 * @returns how many were resolved
 */
export async function resolveAlerts(
  store: Store,
  resolving: {
    channel: string;
    message: string;
    isResolved: (subject: string, kind: AlertClass) => boolean;
    isFresh?: boolean;
  },
  now: Date,
): Promise<number> {
  const open = await listAlerts(store, { channel: resolving.channel });
  let resolved = 0;
  for (const alert of open) {
    const subjects = alert.subjects.filter((subject) => resolving.isResolved(subject, alert.class));
    const isFresh = alert.class === 'stale' && resolving.isFresh;
    if (subjects.length === 0 && !isFresh) continue;
    await alerts(store).updateOne({ _id: alert._id }, { $pull: { subjects: { $in: subjects } } });
    if (await resolveAlert(store, alert._id, resolving.message, now)) resolved += 1;
  }
  return resolved;
}

/** Closes an open alert with a last notice, unless a subject still fails. @returns whether it did */
export async function resolveAlert(store: Store, id: string, message: string, now: Date): Promise<boolean> {
  const resolved = await alerts(store).updateOne(
    { _id: id, state: 'open', subjects: { $size: 0 } },
    {
      $set: { state: 'resolved', resolved_at: now, expires_at: new Date(now.getTime() + RETENTION_MS) },
      $push: { notices: { key: 'resolved', kind: 'resolved', message, at: now, sent_at: null } },
      $inc: { unsent: 1, untold: 1 },
    },
  );
  return resolved.modifiedCount === 1;
}

/** Oldest first; open ones only, unless `all`. */
export async function listAlerts(
  store: Store,
  query: { channel?: string | undefined; channels?: Pick<Channel, '_id'>[]; all?: boolean | undefined } = {},
): Promise<Alert[]> {
  const filter = {
    ...(query.channel && { channel: query.channel }),
    ...(query.channels && { channel: slugRange(query.channels) }),
    ...(!query.all && { state: 'open' as const }),
  };
  return alerts(store).find(filter).sort({ opened_at: 1, _id: 1 }).toArray();
}

// Longer than one pass of sending, so that only one of two senders gets an alert.
const CLAIM_MS = 60_000;

/** Claims the alert with unsent notices that was tried longest ago, for a minute. */
export async function claimUnsent(store: Store, now: Date): Promise<Alert | null> {
  return alerts(store).findOneAndUpdate(
    { unsent: { $gt: 0 }, claimed_at: { $lte: new Date(now.getTime() - CLAIM_MS) } },
    { $set: { claimed_at: now } },
    { sort: { claimed_at: 1 }, returnDocument: 'after' },
  );
}

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

export async function countUnsent(store: Store): Promise<number> {
  return alerts(store).countDocuments({ unsent: { $gt: 0 } });
}

/** Closes every alert of a channel that was closed. */
export async function resolveAllOf(store: Store, channel: string, message: string, now: Date): Promise<void> {
  for (const { _id } of await listAlerts(store, { channel })) {
    await alerts(store).updateOne({ _id }, { $set: { subjects: [] } });
    await resolveAlert(store, _id, message, now);
  }
}
