import { timeNow } from '../../domain/time/elapsed';
import type { EntityType } from '../../domain/records/entity-types';
import { noteSent } from '../consent/subscriptions';
import { reportCollected } from '../deliveries/deliveries';
import type { Store } from '../store';
import { inTransaction } from '../transact';
import { makeMove } from './make-move';
import { endWaiting, waitingPages } from './waiting-pages';

/** The page no longer waits, as a newer attempt, a reset or a revoke has taken over. */
class Overtaken extends Error {
  override name = 'Overtaken';
}

/**
 * The customer confirms a page that it has collected, perhaps again: the marker moves past it as after a 2xx, by the epoch of
 * the attempt that made it. All of it is one transaction, so wherever the process ends the page waits, or it is passed.
 * @returns its entity type, or null when it is not the one that waits, nor one that was confirmed lately
 */
export async function confirmWaitingPage(
  store: Store,
  channel: string,
  page: string,
): Promise<EntityType | null> {
  const type = await confirmInTransaction(store, channel, page);
  if (type) return type;
  // Confirmed before, or by another request just now.
  const passed = await waitingPages(store).findOne(
    { channel, passed: page },
    { projection: { entity_type: 1 } },
  );
  return passed && passed.entity_type;
}

async function confirmInTransaction(store: Store, channel: string, page: string): Promise<EntityType | null> {
  try {
    return await inTransaction(store, async (session) => {
      const waiting = await waitingPages(store).findOne(
        { channel, page, laid: { $exists: true } },
        { projection: { entity_type: 1, 'laid.confirmation': 1 }, session },
      );
      if (!waiting?.laid) return null;
      const { move, done, accounts } = waiting.laid.confirmation;
      if (!(await makeMove(store, move, session))) throw new Overtaken();
      const passed = await waitingPages(store).updateOne({ _id: waiting._id, page }, endWaiting(page, done), {
        session,
      });
      if (passed.matchedCount === 0) throw new Overtaken();
      await noteSent(store, channel, accounts, { at: timeNow(), delivery: done.delivery }, session);
      await reportCollected(store, done, session);
      return waiting.entity_type;
    });
  } catch (error) {
    if (error instanceof Overtaken) return null;
    throw error;
  }
}
