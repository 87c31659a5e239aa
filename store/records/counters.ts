import { timeNow } from '../../domain/time/elapsed';
import type { ClientSession, ClusterTime, Document, Timestamp } from 'mongodb';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import type { Store } from '../store';
import { isUnavailable } from '../unavailable';

/** The order of committed changes of one entity type: the last position taken, and when. */
interface Counter {
  _id: EntityType;
  position: number;
  at: Date;
}

const counters = (store: Store) => store.db.collection<Counter>('counters');

/**
 * Creates missing counters before the first push: an upsert inside a transaction would conflict with itself. In
 * production `gdx migrate` has done it, as API and worker may not.
 */
export async function seedCounters(store: Store): Promise<void> {
  const there = new Set(await counters(store).distinct('_id'));
  const missing = ENTITY_TYPES.filter((type) => !there.has(type));
  if (missing.length === 0) return;
  await counters(store).bulkWrite(
    missing.map((type) => ({
      updateOne: {
        filter: { _id: type },
        update: { $setOnInsert: { position: 0, at: new Date(0) } },
        upsert: true,
      },
    })),
  );
}

/**
 * Takes `count` positions. This must be the transaction's first write: the lock it takes on the counter makes the
 * order of commits the order of positions (docs/architecture.md#commit-order, rule 1).
 * @returns the first of the positions, and the time of the change, which rises with every push of the type
 */
export async function takePositions(
  store: Store,
  type: EntityType,
  count: number,
  session: ClientSession,
): Promise<{ first: number; at: Date }> {
  const now = timeNow(); // all later changes follow it
  const before = await counters(store).findOneAndUpdate(
    { _id: type },
    { $inc: { position: count }, $max: { at: now } },
    { session, returnDocument: 'before' },
  );
  if (!before) throw new Error(`the counter of ${type} is missing: run prepareStore`);
  const first = before.position + 1;
  if (before.at < now) return { first, at: now };
  // The clock has not moved on, or has stepped back.
  const at = new Date(before.at.getTime() + 1);
  await counters(store).updateOne({ _id: type }, { $set: { at } }, { session });
  return { first, at };
}

/**
 * Gives back the last of the positions that this transaction has taken: a record that has not changed needs none. Under the
 * same lock, so nobody has seen them (docs/architecture.md#commit-order, rule 1).
 */
export async function giveBackPositions(
  store: Store,
  type: EntityType,
  unused: number,
  session: ClientSession,
): Promise<void> {
  if (unused > 0)
    await counters(store).updateOne({ _id: type }, { $inc: { position: -unused } }, { session });
}

/** The ceilings: the highest committed position of every entity type (docs/architecture.md#commit-order, rule 2). */
export async function readCeilings(
  store: Store,
  session?: ClientSession,
): Promise<Record<EntityType, number>> {
  const ceilings = { accounts: 0, contracts: 0, tickets: 0, settlements: 0 };
  const options = session ? { session } : {};
  for await (const counter of counters(store).find({}, options)) ceilings[counter._id] = counter.position;
  return ceilings;
}

export async function readCeiling(store: Store, type: EntityType, session?: ClientSession): Promise<number> {
  const counter = await counters(store).findOne({ _id: type }, session ? { session } : {});
  return counter?.position ?? 0;
}

/** When the newest change of a type was stored: every later one has a later time, by `takePositions`. */
export async function readNewestChange(
  store: Store,
  type: EntityType,
  session: ClientSession,
): Promise<Date> {
  const counter = await counters(store).findOne({ _id: type }, { session });
  return counter?.at ?? new Date(0);
}

/**
 * A linearizable read: whatever `session` reads from here on includes every push acknowledged so far, also right
 * after a failover (docs/architecture.md#commit-order, rule 2). A deposed primary cannot answer it. It goes in no causal
 * session: mongod refuses `linearizable` with `afterClusterTime` (72, InvalidOptions), which the driver adds where it reads
 * a second time.
 */
export async function seeNewest(store: Store, session: ClientSession): Promise<void> {
  const { operationTime, $clusterTime } = await readNewest(store);
  if (operationTime) session.advanceOperationTime(operationTime as Timestamp);
  if ($clusterTime) session.advanceClusterTime($clusterTime as ClusterTime);
}

// A primary that hears of no majority steps down by itself within this time.
const maxTimeMS = 10_000;

/** The driver repeats no such command by itself. */
async function readNewest(store: Store, triesLeft = 2): Promise<Document> {
  const find = { find: 'counters', filter: { _id: 'accounts' }, limit: 1, singleBatch: true, maxTimeMS };
  try {
    return await store.db.command({ ...find, readConcern: { level: 'linearizable' } });
  } catch (error) {
    if (triesLeft === 0 || !isUnavailable(error)) throw error;
    return readNewest(store, triesLeft - 1);
  }
}
