import { timeNow } from '../../domain/time/elapsed';
import type { ClientSession } from 'mongodb';
import type { Judgement, FailureStreak } from '../../domain/deliveries/alert-class';
import { channels } from '../channels/channels';
import type { Store } from '../store';
import { inTransaction } from '../transact';
import { deliveries, type DeliveryStatus } from './deliveries';

/** A closed delivery to be judged. */
interface ClosedDelivery {
  id: string;
  channel: string;
  status: DeliveryStatus;
  judge: (before: FailureStreak | undefined) => Judgement;
  now: Date;
  /** Set when the delivery confirmed a page. */
  freshAt: Date | undefined;
}

/**
 * Applies a delivery's end to its channel's failure streak, exactly once: one transaction stores the judgement in the
 * report and updates the channel. So neither a concurrent delivery nor a retry changes it.
 * @returns the judgement of the first call; undefined when the report or the channel is gone, or the report was
 * closed with another status
 */
export async function judgeOnce(
  store: Store,
  { id, channel: slug, status, judge, now, freshAt }: ClosedDelivery,
): Promise<Judgement | undefined> {
  const reports = deliveries(store);
  return inTransaction(store, async (session) => {
    const report = await reports.findOne({ _id: id, status }, { session });
    const channel = await channels(store).findOne({ _id: slug }, { session });
    if (!report || report.judged || !channel) return report?.judged;
    const judged = judge(channel.failing);
    const set = { ...(judged.streak && { failing: judged.streak }), ...(freshAt && { fresh_at: freshAt }) };
    await channels(store).updateOne(
      { _id: slug },
      {
        // Always changes, so that two concurrent transactions conflict.
        $inc: { ends_judged: 1 },
        ...(Object.keys(set).length > 0 && { $set: set }),
        ...(!judged.streak && { $unset: { failing: 1 as const } }),
      },
      { session },
    );
    await reports.updateOne({ _id: id }, { $set: { judged: { ...judged, at: now } } }, { session });
    return judged;
  });
}

/**
 * Pauses a channel for the failure streak that began at `since`: not when an operator has paused it already, nor when
 * it was resumed since, which ends the streak.
 * @returns whether it was this call that paused it
 */
export async function pauseFailing(
  store: Store,
  slug: string,
  since: Date,
  paused: { reason: string; at: Date },
  session?: ClientSession,
): Promise<boolean> {
  const pausing = await channels(store).updateOne(
    { _id: slug, state: 'active', 'failing.since': since },
    { $set: { state: 'paused', paused } },
    { ...(session && { session }) },
  );
  return pausing.modifiedCount === 1;
}

/** Records an empty run, which makes the channel fresh, and ends its failure streak: nothing is left that could fail. */
export async function noteEmptyRun(store: Store, slug: string): Promise<void> {
  await channels(store).updateOne({ _id: slug }, { $set: { fresh_at: timeNow() }, $unset: { failing: 1 } });
}
