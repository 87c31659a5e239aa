import type { ClientSession } from 'mongodb';
import { ENTITY_TYPES, type EntityType } from '../domain/entity-types';
import type { Channel } from './channels';
import type { Store } from './connect';
import { countByAccount } from './count-by-account';
import { readCeilings } from './counters';
import { insertUnlessThere } from './insert-unless-there';
import { type Marker, markerId } from './markers';

/** A marker with an end, for one newly granted account: positions above `position`, up to and including `until`. */
export interface CatchUp extends Marker {
  account: string;
  until: number;
  /** How many records there were when it was lined up: the `total_count` of its pages. */
  total: number;
}

const catchUps = (store: Store) => store.db.collection<CatchUp>('markers');

// A catch-up that is removed and lined up again must not meet an attempt at the old one: each begins with generations
// and epochs that no other has had. 2^20 resets of, or attempts at, one catch-up are out of reach.
const EACH = 2 ** 20;
const firstOf = (version: number) => version * EACH;

/**
 * Lines up everything that accounts had before they were shared. Their subscriptions are visible already, so whatever
 * the ceilings read here do not cover belongs to the channel's own markers (commit-order, catch-up). A slower hand that
 * took an older version leaves a newer catch-up as it is: the ceilings it has read may be older too.
 * @param version the last `shares_version` of those taken for these accounts, one each
 */
export async function writeCatchUps(
  store: Store,
  channel: Channel,
  accounts: string[],
  version: number,
  session: ClientSession,
): Promise<void> {
  const ceilings = await readCeilings(store, session);
  for (const type of channel.entity_types) {
    const until = ceilings[type];
    const totals = await countByAccount(store, type, accounts, until, session);
    const lines = accounts.map((account, index): CatchUp => {
      const _id = catchUpId(channel._id, type, account);
      const first = firstOf(version - index);
      const of = { channel: channel._id, entity_type: type, account, total: totals.get(account) ?? 0 };
      const at = { position: 0, until, generation: first, epoch: first };
      return { _id, ...of, ...at, timestamp: null, delivered_at: null };
    });
    await lineUp(store, lines, version);
  }
}

/** Each takes the place of an older one; one without records only makes room. */
async function lineUp(store: Store, lines: CatchUp[], version: number): Promise<void> {
  const older = { generation: { $lt: firstOf(version) } };
  for (let left = lines; left.length > 0;) {
    await catchUps(store).deleteMany({ _id: { $in: left.map(({ _id }) => _id) }, ...older });
    const full = left.filter(({ total }) => total > 0);
    const met = await insertUnlessThere(catchUps(store), full);
    if (met.length === 0) return;
    // A newer one stays. An older one was put there meanwhile by a hand that has been overtaken.
    const outdated = { _id: { $in: met.map(({ _id }) => _id) }, ...older };
    const ids = new Set((await catchUps(store).find(outdated).toArray()).map(({ _id }) => _id));
    left = met.filter(({ _id }) => ids.has(_id));
  }
}

/** Removes accounts' catch-ups that were lined up before `version`. */
export async function removeCatchUps(
  store: Store,
  channel: string,
  accounts: string[],
  version: number,
): Promise<void> {
  const older = { generation: { $lt: firstOf(version) } };
  for (const type of ENTITY_TYPES) {
    const ids = accounts.map((account) => catchUpId(channel, type, account));
    await catchUps(store).deleteMany({ _id: { $in: ids }, ...older });
  }
}

/** The catch-ups of a channel, or of one entity type of it, in the order in which a delivery walks them. */
export async function listCatchUps(store: Store, channel: string, type?: EntityType): Promise<CatchUp[]> {
  return catchUps(store)
    .find({ channel, account: { $exists: true }, ...(type ? { entity_type: type } : {}) })
    .sort({ _id: 1 })
    .toArray();
}

/** How many records a catch-up still has to deliver. */
export const leftOf = ({ total, progress }: CatchUp) => Math.max(0, total - (progress?.records ?? 0));

/** Done: removes it, if no newer attempt, reset or grant has taken over. @returns whether it was removed */
export async function finishCatchUp(store: Store, fence: { id: string; epoch: number }): Promise<boolean> {
  const removed = await catchUps(store).deleteOne({ _id: fence.id, epoch: fence.epoch });
  return removed.deletedCount === 1;
}

/**
 * After a reset, what lies above the floor is the channel's own marker's again (commit-order, catch-up): of accounts
 * that were shared when it was moved. Since then it may have passed over those of a later grant, whose catch-ups stay.
 * @param version the `shares_version` read before the channel's own marker was moved
 */
export async function endCatchUpsAt(
  store: Store,
  channel: string,
  type: EntityType,
  floor: number,
  version: number,
): Promise<void> {
  await catchUps(store).updateMany(
    { channel, entity_type: type, account: { $exists: true }, generation: { $lt: firstOf(version + 1) } },
    { $min: { until: floor }, $inc: { generation: 1, epoch: 1 } },
  );
}

const catchUpId = (channel: string, type: EntityType, account: string) =>
  `${markerId(channel, type)}/${account}`;
