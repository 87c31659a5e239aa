import type { ClientSession, Collection } from 'mongodb';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import type { Channel } from '../channels/channels';
import { bumpSharesVersion } from '../channels/shares-version';
import type { Store } from '../store';
import { countByAccount } from '../window/count-by-account';
import { type Fence, type Marker, markerId, markers } from './markers';
import { readAccountsToBegin, type Subscription, subscriptions } from '../consent/subscriptions';
import { deadlineIn, transact } from '../transact';

/** A marker with an end, for one newly granted account: positions above `position`, up to and including `until`. */
export interface CatchUp extends Marker {
  account: string;
  /** Where it began: positions up to here are not part of it. Missing in older ones, which began at 0. */
  from?: number;
  until: number;
  /** The number of records at its beginning: the `total_count` of its pages. Null until they are counted. */
  total: number | null;
}

/** Of the markers in the collection, a catch-up alone has an account. */
export const isCatchUp = (marker: Marker): marker is CatchUp => 'account' in marker;

/** They are markers too, in the same collection. */
const catchUps = (store: Store) => markers(store) as unknown as Collection<CatchUp>;

export const catchUpIndexes = [{ name: 'uncounted', key: { channel: 1, entity_type: 1, total: 1 } }];

// A delivery of a removed catch-up must not move one begun later for the same account. So each begins with a
// generation and an epoch that no older one can have reached: no catch-up ever sees 2^20 epochs.
const EACH = 2 ** 20;
const firstOf = (version: number) => version * EACH;

// Catch-ups per transaction, and per count: a plan begins twice as many as its delivery takes.
const MAX_AT_ONCE = 100;
const MAX_TRIES = 20;

/** The marker's epoch has changed since it was read: by a delivery, a reset or another plan. */
class MarkerMoved extends Error {
  override name = 'MarkerMoved';
}

/**
 * Begins the catch-ups of all accounts whose grant no plan of this entity type has seen yet. Each ends at the
 * position of the channel's own marker: deliveries that begin later read what lies above with the account, and the
 * new epoch keeps earlier ones from moving the marker over it (docs/decisions/0009). Then counts all uncounted
 * catch-ups, even those that an interrupted plan left. It begins one batch at a time and stops once there is something to
 * deliver, so that the first page does not wait for thousands.
 *
 * A plan calls this before it reads the marker, and reads the selection after the marker.
 * @returns whether others are left for the next plan
 */
export async function beginCatchUps(
  store: Store,
  channel: string,
  type: EntityType,
  session: ClientSession,
): Promise<boolean> {
  const isAnyDue = async () =>
    (await subscriptions(store).findOne(dueOf(channel, type), { session })) !== null;
  let tries = 0;
  let isAnyBegun = false;
  while (!isAnyBegun && (await isAnyDue())) {
    if (tries === MAX_TRIES) throw new MarkerMoved(`${markerId(channel, type)} moves all the time`);
    if (!(await beginBatch(store, channel, type, session))) tries += 1;
    await countCatchUps(store, channel, type, session);
    isAnyBegun = (await listCatchUps(store, channel, type, { limit: 1, session })).length > 0;
  }
  await countCatchUps(store, channel, type, session);
  return isAnyBegun && (await isAnyDue());
}

const dueOf = (channel: string, type: EntityType) => ({ channel, to_begin: type, state: 'granted' }) as const;

/**
 * A batch: one half are the newest grants, the other the oldest, as in the order of delivery. All other due grants of their
 * accounts are added, since the newer grant may lack the earlier records that an older one has to deliver.
 */
async function listDue(
  store: Store,
  channel: string,
  type: EntityType,
  session: ClientSession,
): Promise<Subscription[]> {
  const from = (order: 1 | -1, most: number) =>
    subscriptions(store)
      .find(dueOf(channel, type), { session })
      .sort({ version: order, _id: order })
      .limit(most)
      .toArray();
  const batch = await fromBothEnds(from, MAX_AT_ONCE);
  if (batch.length < MAX_AT_ONCE) return batch; // all there are
  const account = { $in: batch.map((subscription) => subscription.account) };
  return subscriptions(store)
    .find({ ...dueOf(channel, type), account }, { session })
    .toArray();
}

/** @returns false when the marker moved concurrently; nothing was written then */
async function beginBatch(
  store: Store,
  channel: string,
  type: EntityType,
  session: ClientSession,
): Promise<boolean> {
  const _id = markerId(channel, type);
  const seen = await catchUps(store).findOne({ _id }, { session });
  if (!seen) throw new Error(`the marker ${_id} is missing: run ensureMarkers`);
  try {
    await transact(store, session, deadlineIn(), async () => {
      await bumpSharesVersion(store, channel, session);
      const asSeen = { _id, epoch: seen.epoch };
      const marker = await catchUps(store).findOneAndUpdate(asSeen, { $inc: { epoch: 1 } }, { session });
      if (!marker) throw new MarkerMoved();
      const due = await listDue(store, channel, type, session);
      await writeCatchUps(store, due, { type, until: marker.position }, session);
      const ids = due.map((subscription) => subscription._id);
      await subscriptions(store).updateMany(
        { _id: { $in: ids } },
        { $pull: { to_begin: type } },
        { session },
      );
    });
    return true;
  } catch (error) {
    if (error instanceof MarkerMoved) return false;
    throw error;
  }
}

/**
 * Writes one catch-up for each account. It replaces the account's catch-up of an older grant, never of a newer one, and takes over what
 * that has left. At marker position 0 there is nothing to catch up: the older one is removed and none is written. A grant without
 * the earlier records has a catch-up only for what the marker passed after the grant and before this plan, when the account was not selected yet:
 * mostly nothing.
 */
async function writeCatchUps(
  store: Store,
  due: Subscription[],
  { type, until }: { type: EntityType; until: number },
  session: ClientSession,
): Promise<void> {
  const newest = new Map<string, CatchUp>();
  for (const { channel, account, version, from: positions } of due) {
    const from = positions?.[type] ?? 0;
    const _id = catchUpId(channel, type, account);
    const other = newest.get(_id);
    const first = Math.max(firstOf(version), other?.generation ?? 0);
    const at = { until, total: null, generation: first, epoch: first };
    const of = { _id, channel, entity_type: type, account, timestamp: null, delivered_at: null };
    newest.set(_id, { ...of, ...at, ...beginningAt(Math.min(from, other?.position ?? from)) });
  }
  const ids = { _id: { $in: [...newest.keys()] } };
  const known = catchUps(store).find(ids, { projection: { generation: 1, position: 1 }, session });
  for (const { _id, generation, position } of await known.toArray()) {
    const one = newest.get(_id)!;
    if (generation >= one.generation) newest.delete(_id);
    else if (position < one.position) Object.assign(one, beginningAt(position));
  }
  await catchUps(store).deleteMany({ _id: { $in: [...newest.keys()] } }, { session });
  const open = [...newest.values()].filter(({ position }) => position < until);
  if (open.length > 0) await catchUps(store).insertMany(open, { session });
}

const beginningAt = (position: number) => ({ position, from: position });

/** Counts the records of each; empty ones are removed. */
async function countCatchUps(
  store: Store,
  channel: string,
  type: EntityType,
  session: ClientSession,
): Promise<void> {
  for (;;) {
    const uncounted = await catchUps(store)
      .find({ channel, entity_type: type, total: null, account: { $exists: true } }, { session })
      .limit(MAX_AT_ONCE)
      .toArray();
    if (uncounted.length === 0) return;
    for (const ofRange of byRange(uncounted)) {
      const { from: after = 0, until: upTo } = ofRange[0]!;
      const accounts = ofRange.map(({ account }) => account);
      const totals = await countByAccount(store, type, accounts, { after, upTo }, session);
      await catchUps(store).bulkWrite(
        ofRange.map(({ _id, generation, position, until, account }) => {
          const total = position < until ? (totals.get(account) ?? 0) : 0;
          const filter = { _id, generation };
          return total === 0
            ? { deleteOne: { filter } }
            : { updateOne: { filter, update: { $set: { total } } } };
        }),
        { ordered: false, session },
      );
    }
  }
}

/** Those that begin and end at the same positions are counted together. */
const byRange = (list: CatchUp[]): CatchUp[][] =>
  [...new Set(list.map(rangeOf))].map((range) => list.filter((one) => rangeOf(one) === range));

const rangeOf = ({ from = 0, until }: CatchUp) => `${from}-${until}`;

/** Removes the catch-ups of accounts that are no longer shared. */
export async function removeCatchUps(
  store: Store,
  channel: string,
  accounts: string[],
  session: ClientSession,
): Promise<void> {
  for (const type of ENTITY_TYPES) {
    const ids = accounts.map((account) => catchUpId(channel, type, account));
    await catchUps(store).deleteMany({ _id: { $in: ids } }, { session });
  }
}

/**
 * The counted catch-ups of one entity type, in the order of delivery. With a `limit`, half are of the newest grants and half of
 * the oldest, so that neither a new nor an old grant waits behind thousands of others.
 */
export async function listCatchUps(
  store: Store,
  channel: string,
  type: EntityType,
  { limit = 0, session }: { limit?: number; session?: ClientSession } = {},
): Promise<CatchUp[]> {
  // Both halves use one order, from its two ends: with `limit` catch-ups or more, none is in both.
  const from = (order: 1 | -1, most: number) =>
    catchUps(store)
      .find({ _id: idsOf(channel, type), total: { $ne: null } }, session ? { session } : {})
      .sort({ generation: order, _id: order === 1 ? -1 : 1 })
      .limit(most)
      .toArray();
  return fromBothEnds(from, limit);
}

/** Half of the limit from each end of an order, none twice; without a limit all of them. */
async function fromBothEnds<T extends { _id: string }>(
  from: (order: 1 | -1, most: number) => Promise<T[]>,
  limit: number,
): Promise<T[]> {
  const newest = await from(-1, Math.ceil(limit / 2));
  const oldest = limit > 1 ? await from(1, Math.floor(limit / 2)) : [];
  return [...new Map([...newest, ...oldest].map((one) => [one._id, one])).values()];
}

/**
 * What the catch-ups of one entity type have not delivered yet: for each account, the positions above
 * `position`, up to `until`.
 */
export async function readOpenCatchUps(
  store: Store,
  channel: string,
  type: EntityType,
  session: ClientSession,
): Promise<Pick<CatchUp, 'account' | 'position' | 'until'>[]> {
  const projection = { account: 1, position: 1, until: 1 };
  return catchUps(store)
    .find({ _id: idsOf(channel, type) }, { projection, session })
    .toArray();
}

/** The accounts whose earlier records are still to be sent. */
export async function listCatching(
  store: Store,
  { _id: slug, scope, entity_types }: Pick<Channel, '_id' | 'scope' | 'entity_types'>,
  session: ClientSession,
): Promise<string[]> {
  if (scope === 'all') return [];
  const accounts: string[] = [];
  for (const type of entity_types) {
    accounts.push(...(await readAccountsToBegin(store, slug, type, session)).accounts);
    accounts.push(...(await readOpenCatchUps(store, slug, type, session)).map(({ account }) => account));
  }
  return accounts;
}

/** How many records a catch-up still has to deliver. */
export const remainingOf = ({ total, progress }: Pick<CatchUp, 'total' | 'progress'>) =>
  Math.max(0, (total ?? 0) - (progress?.records ?? 0));

/** Removes delivered catch-ups, unless a newer epoch or grant has taken over. @returns how many were removed */
export async function finishCatchUps(
  store: Store,
  fences: Fence[],
  session?: ClientSession,
): Promise<number> {
  const removals = fences.map(({ id: _id, epoch }) => ({ deleteOne: { filter: { _id, epoch } } }));
  const removed = await catchUps(store).bulkWrite(removals, { ordered: false, ...(session && { session }) });
  return removed.deletedCount;
}

const catchUpId = (channel: string, type: EntityType, account: string) =>
  `${markerId(channel, type)}/${account}`;

/** The ids of all catch-ups of one entity type: in ASCII, `0` is the character after `/`. */
const idsOf = (channel: string, type: EntityType) => ({
  $gt: `${markerId(channel, type)}/`,
  $lt: `${markerId(channel, type)}0`,
});
