import { timeNow } from '../../domain/time/elapsed';
import type { Company } from '../../domain/records/render-record';
import { learnGap, type PushGap, silentFrom, usualInterval } from '../../domain/records/push-rhythm';
import type { Store } from '../store';
import { isFirst } from '../unavailable';

/** What an integration has pushed, and how often. Stored apart from its tokens, which the worker may not read. */
export interface PushActivity {
  /** The integration's id. */
  _id: string;
  /** `agris of Prairie Co-op` */
  erp: string;
  /** Missing until its first push after an update. */
  company?: Company;
  last_at: Date;
  /** The day in UTC whose records and warnings are counted. */
  day: string;
  records: number;
  warnings: number;
  gaps: PushGap[];
  usual_ms: number | null;
  /** From when on it counts as silent; null while its interval is not known, and when its tokens are revoked. */
  silent_at: Date | null;
  /** When its tokens were revoked. */
  stopped_at?: Date;
  revision: number;
}

/** Pushes of one integration since the last note. */
export interface NotedPushes {
  erp: string;
  company: Company;
  first_at: Date;
  last_at: Date;
  records: number;
  warnings: number;
}

// The API takes a revoked token for seconds more, and notes its pushes half a minute later.
const STILL_PUSHED_MS = 60_000;

const activity = (store: Store) => store.db.collection<PushActivity>('push_activity');

export const pushActivityIndexes = [{ name: 'silent', key: { silent_at: 1 } }];

/** Notes pushes. Processes that note at the same time lose nothing of each other's. */
export async function notePushes(store: Store, integration: string, pushes: NotedPushes): Promise<void> {
  for (;;) {
    const before = await activity(store).findOne({ _id: integration });
    const after = { _id: integration, ...noted(before, pushes) };
    if (before) {
      const { revision } = before;
      const replaced = await activity(store).replaceOne({ _id: integration, revision }, after);
      if (replaced.matchedCount === 1) return;
    } else if (await isFirst(activity(store).insertOne(after))) return;
  }
}

function noted(before: PushActivity | null, pushes: NotedPushes): Omit<PushActivity, '_id'> {
  const last_at = before && before.last_at > pushes.last_at ? before.last_at : pushes.last_at;
  const isLater = before !== null && pushes.first_at > before.last_at;
  const gaps = isLater ? learnGap(before.gaps, before.last_at, pushes.first_at) : (before?.gaps ?? []);
  const usual_ms = usualInterval(gaps, last_at) ?? null;
  const day = last_at.toISOString().slice(0, 10);
  const sameDay = before?.day === day ? before : undefined;
  const stopped = before?.stopped_at;
  const isStopped = stopped !== undefined && last_at.getTime() <= stopped.getTime() + STILL_PUSHED_MS;
  return {
    erp: pushes.erp,
    company: pushes.company,
    last_at,
    day,
    records: (sameDay?.records ?? 0) + pushes.records,
    warnings: (sameDay?.warnings ?? 0) + pushes.warnings,
    gaps,
    usual_ms,
    silent_at: usual_ms === null || isStopped ? null : silentFrom(last_at, usual_ms),
    ...(isStopped && { stopped_at: stopped }),
    revision: (before?.revision ?? 0) + 1,
  };
}

/** The integrations that are silent at this moment. */
export const findSilent = (store: Store, now: Date): Promise<PushActivity[]> =>
  activity(store)
    .find({ silent_at: { $lte: now } })
    .toArray();

/** Whether any ERP of a company is known to push, and none is silent. */
export async function isHeardFrom(store: Store, company: string, now: Date): Promise<boolean> {
  const all = await activity(store)
    .find({ 'company.id': company, silent_at: { $ne: null } })
    .toArray();
  return all.length > 0 && all.every(({ silent_at }) => silent_at! > now);
}

/** The part of an integration's activity that lists show. */
export type PushSummary = Omit<PushActivity, 'gaps' | 'stopped_at' | 'revision'>;

/** The activity of every integration that has pushed, by its id. */
export async function readPushActivity(store: Store): Promise<Map<string, PushSummary>> {
  const found = await activity(store)
    .find<PushSummary>({}, { projection: { gaps: 0, stopped_at: 0, revision: 0 } })
    .toArray();
  return new Map(found.map((one) => [one._id, one]));
}

/** An integration whose tokens are revoked may be silent; it is watched again from its next push. */
export async function stopWatching(store: Store, integration: string, now = timeNow()): Promise<void> {
  const stop = { $set: { silent_at: null, stopped_at: now }, $inc: { revision: 1 } };
  await activity(store).updateOne({ _id: integration }, stop);
}

/** That of an integration whose company is erased. */
export async function forgetActivity(store: Store, integration: string): Promise<void> {
  await activity(store).deleteOne({ _id: integration });
}
