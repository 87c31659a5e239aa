import type { AlertClass, NoticeKind } from '../domain/alert-class';
import type { Store } from './connect';
import { isDuplicateKey } from './unavailable';

/** Something an operator should know of; one open alert a channel and class. */
export interface Alert {
  /** `<channel>/<class>/<number>`: of two that open it at once, one finds the number taken. */
  _id: string;
  channel: string;
  class: AlertClass;
  number: number;
  state: 'open' | 'resolved';
  /** What fails with it and has not succeeded since: entity types, or their catch-ups. Empty for `stale`. */
  subjects: string[];
  /** The last failure's own. */
  message: string;
  opened_at: Date;
  last_failed_at: Date;
  resolved_at: Date | null;
  /** The outbox: kept in the alert, so that an alert and its notice are written as one. */
  notices: Notice[];
  unsent: number;
  /** When somebody last began to send them: nobody else does for a while. */
  claimed_at: Date;
  /** Resolved ones are kept for a while. */
  expires_at?: Date;
}

export interface Notice {
  /** The same event is told once, however often it is seen. */
  key: string;
  kind: NoticeKind;
  message: string;
  at: Date;
  sent_at: Date | null;
}

const KEPT_MS = 400 * 24 * 3_600_000;

const alerts = (store: Store) => store.db.collection<Alert>('alerts');

export const alertIndexes = [
  { name: 'number', key: { channel: 1, class: 1, number: -1 }, unique: true },
  { name: 'open', key: { state: 1, channel: 1 } },
  { name: 'unsent', key: { unsent: 1, claimed_at: 1 } },
  { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 },
];

export interface Trigger {
  channel: string;
  class: AlertClass;
  subject: string | undefined;
  message: string;
}

/** Opens the alert with its first notice, or keeps it open. @returns its id, and whether it was opened now */
export async function raiseAlert(
  store: Store,
  trigger: Trigger,
  now: Date,
): Promise<{ id: string; opened: boolean }> {
  const { channel, class: kind, subject, message } = trigger;
  for (;;) {
    const open = await alerts(store).findOneAndUpdate(
      { channel, class: kind, state: 'open' },
      { $set: { message, last_failed_at: now }, ...(subject && { $addToSet: { subjects: subject } }) },
    );
    if (open) return { id: open._id, opened: false };
    const last = await alerts(store).findOne({ channel, class: kind }, { sort: { number: -1 } });
    if (last?.state === 'open') continue; // opened meanwhile
    const number = (last?.number ?? 0) + 1;
    const id = `${channel}/${kind}/${number}`;
    try {
      await alerts(store).insertOne({
        ...{
          _id: id,
          channel,
          class: kind,
          number,
          state: 'open',
          subjects: subject ? [subject] : [],
          message,
        },
        ...{ opened_at: now, last_failed_at: now, resolved_at: null },
        notices: [{ key: 'opened', kind: 'opened', message, at: now, sent_at: null }],
        ...{ unsent: 1, claimed_at: new Date(0) },
      });
      return { id, opened: true };
    } catch (error) {
      if (!isDuplicateKey(error)) throw error; // two raised it at once: the second finds the first's
    }
  }
}

/** Adds a notice to an open alert, once a key. @returns whether it was added */
export async function addNotice(store: Store, id: string, notice: Omit<Notice, 'sent_at'>): Promise<boolean> {
  const added = await alerts(store).updateOne(
    { _id: id, state: 'open', 'notices.key': { $ne: notice.key } },
    { $push: { notices: { ...notice, sent_at: null } }, $inc: { unsent: 1 } },
  );
  return added.modifiedCount === 1;
}

/**
 * Takes from a channel's open alerts what no longer fails; an alert that has nothing left is resolved.
 * @returns how many were resolved
 */
export async function calmAlerts(
  store: Store,
  calm: { channel: string; message: string; isCalm: (subject: string, kind: AlertClass) => boolean },
  now: Date,
): Promise<number> {
  const open = await listAlerts(store, { channel: calm.channel });
  let resolved = 0;
  for (const alert of open) {
    const subjects = alert.subjects.filter((subject) => calm.isCalm(subject, alert.class));
    if (subjects.length === 0) continue;
    await alerts(store).updateOne({ _id: alert._id }, { $pull: { subjects: { $in: subjects } } });
    if (await resolveAlert(store, alert._id, calm.message, now)) resolved += 1;
  }
  return resolved;
}

/** Closes an open alert with its last notice, unless something still fails with it. @returns whether it did */
export async function resolveAlert(store: Store, id: string, message: string, now: Date): Promise<boolean> {
  const resolved = await alerts(store).updateOne(
    { _id: id, state: 'open', subjects: { $size: 0 } },
    {
      $set: { state: 'resolved', resolved_at: now, expires_at: new Date(now.getTime() + KEPT_MS) },
      $push: { notices: { key: 'resolved', kind: 'resolved', message, at: now, sent_at: null } },
      $inc: { unsent: 1 },
    },
  );
  return resolved.modifiedCount === 1;
}

/** Oldest first; open ones only, unless `all`. */
export async function listAlerts(
  store: Store,
  query: { channel?: string | undefined; all?: boolean | undefined } = {},
): Promise<Alert[]> {
  const filter = {
    ...(query.channel && { channel: query.channel }),
    ...(!query.all && { state: 'open' as const }),
  };
  return alerts(store).find(filter).sort({ opened_at: 1, _id: 1 }).toArray();
}
