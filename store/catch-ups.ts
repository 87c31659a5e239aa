import type { EntityType } from '../domain/entity-types';
import type { Channel } from './channels';
import type { Store } from './connect';
import { readCeilings } from './counters';
import { type Marker, markerId } from './markers';
import { records } from './records';
import { isDuplicateKey } from './unavailable';

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
 * Lines up everything an account had before it was shared. The subscription is visible already, so whatever the ceilings
 * read here do not cover belongs to the channel's own markers (commit-order, catch-up). A slower hand that took an older
 * version leaves a newer catch-up as it is: the ceilings it has read may be older too.
 * @param version a `shares_version` taken for this catch-up alone
 */
export async function writeCatchUps(
  store: Store,
  channel: Channel,
  account: string,
  version: number,
): Promise<void> {
  const ceilings = await readCeilings(store);
  for (const type of channel.entity_types) {
    const until = ceilings[type];
    const total = await records(store, type).countDocuments({
      account_ids: account,
      position: { $lte: until },
    });
    const _id = catchUpId(channel._id, type, account);
    if (total === 0) {
      await catchUps(store).deleteOne({ _id, generation: { $lt: firstOf(version) } });
      continue;
    }
    await lineUp(store, {
      _id,
      channel: channel._id,
      entity_type: type,
      account,
      position: 0,
      until,
      total,
      generation: firstOf(version),
      epoch: firstOf(version),
      timestamp: null,
      delivered_at: null,
    });
  }
}

async function lineUp(store: Store, { _id, ...catchUp }: CatchUp): Promise<void> {
  try {
    await catchUps(store).updateOne(
      { _id, generation: { $lt: catchUp.generation } },
      { $set: catchUp, $unset: { progress: 1 } },
      { upsert: true },
    );
  } catch (error) {
    if (!isDuplicateKey(error)) throw error; // there is a newer one
  }
}

/** Removes an account's catch-ups that were lined up before `version`. */
export async function removeCatchUps(
  store: Store,
  channel: string,
  account: string,
  version: number,
): Promise<void> {
  await catchUps(store).deleteMany({ channel, account, generation: { $lt: firstOf(version) } });
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
