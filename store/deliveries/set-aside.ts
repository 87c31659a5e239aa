import { timeNow } from '../../domain/time/elapsed';
import type { ClientSession, Condition } from 'mongodb';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import { type Channel, findChannel, slugRange } from '../channels/channels';
import { batchesOf } from '../records/records';
import type { Store } from '../store';

/**
 * A record that a customer refused twice when it was sent alone. It waits here and blocks no other (docs/contract.md C10).
 */
export interface SetAside {
  /** `<channel>/<entity_type>/<record id>` */
  _id: string;
  channel: string;
  entity_type: EntityType;
  record: string;
  position: number;
  failure: 'refused' | 'too_large';
  /** 0: there was no answer. */
  status: number;
  /** The beginning of the customer's response. */
  answer: string;
  delivery: string;
  at: Date;
  /** Released: sent again with the next run. */
  released_at?: Date;
  /** The released page that begins with it has failed. */
  stumble?: Stumble;
}

type Where = 'channel' | 'entity_type';
type OfLane = Pick<SetAside, Where>;

/**
 * What is sent by itself, and moves no marker: records that were set aside and released, and records that the customer has
 * asked for again, which were not refused and so need no page of their own.
 */
export interface Released extends Pick<SetAside, '_id' | Where | 'record'> {
  released_at: Date;
  resend?: true;
}

/** As stored. A record that is set aside and asked for again has one document, whichever came first. */
type Stored = SetAside & { resend?: true };

const setAsides = (store: Store) => store.db.collection<Stored>('set_aside');
// Of what a customer has refused, without what it has asked for.
const REFUSED = { resend: { $exists: false } };
const NOT_RELEASED = { $exists: false };

/** What is set aside of a channel. Of a type that was taken from it nothing is, until the channel carries that again. */
async function refusedBy(store: Store, channel: string, only?: EntityType) {
  const { entity_types = ENTITY_TYPES } = (await findChannel(store, channel)) ?? {};
  const types = entity_types.filter((type) => only === undefined || type === only);
  return { channel, ...REFUSED, entity_type: { $in: types } };
}

export const setAsideIndexes = [{ name: 'channel', key: { channel: 1, entity_type: 1, record: 1 } }];

export type Refusal = Omit<SetAside, '_id' | 'at' | 'released_at' | 'stumble'>;

/** A record that is set aside or was asked for again, as a page was made with it. */
export type KnownAside = Pick<SetAside, 'record' | 'position' | 'at'> & {
  released_at?: Date | null | undefined;
};

/**
 * Stores a refusal. A newer one replaces it; one of an older version of the record changes nothing, nor does one of a record that was
 * released, or asked for again, since the page was made: that goes out again.
 * @param released when it had been released, if it was
 * @param session of the transaction that moves the marker past it. A release that is there no longer was fulfilled with an older version;
 * without a marker there is no newer one.
 */
export async function setAside(
  store: Store,
  refused: Refusal,
  released?: Date,
  session?: ClientSession,
): Promise<void> {
  const options = { ...(session && { session }) };
  const _id = `${refused.channel}/${refused.entity_type}/${refused.record}`;
  const known = await setAsides(store).findOne({ _id }, options);
  const isNewer = (known?.position ?? 0) > refused.position;
  const isFulfilled = !known && session !== undefined;
  if (isNewer || (known?.released_at?.getTime() !== released?.getTime() && !isFulfilled)) return;
  const same = { _id, released_at: known?.released_at ?? NOT_RELEASED };
  await setAsides(store).replaceOne(same, { ...refused, at: timeNow() }, { ...options, upsert: !known });
}

/** Whether any record of the lane is set aside, or was asked for again; only of those with such ids, where that is said. */
export async function hasSetAside(
  store: Store,
  { channel, entity_type }: OfLane,
  record?: Condition<string>,
  session?: ClientSession,
): Promise<boolean> {
  const of = { channel, entity_type, ...(record && { record }) };
  const options = { projection: { _id: 1 }, ...(session && { session }) };
  return (await setAsides(store).findOne(of, options)) !== null;
}

/** Which of these records are set aside, or were asked for again. */
export async function readSetAside(
  store: Store,
  { channel, entity_type }: OfLane,
  ids: string[],
): Promise<Stored[]> {
  const _id = { $in: ids.map((id) => `${channel}/${entity_type}/${id}`) };
  return setAsides(store)
    .find({ _id }, { projection: { record: 1, at: 1, released_at: 1, resend: 1 } })
    .toArray();
}

/**
 * Removes confirmed records that were set aside. Version and times identify what the page knew of each: another delivery may have set
 * aside a newer version since or, after a reset, the same one again, and the customer may have asked for it again.
 */
export async function clearSetAside(
  store: Store,
  { channel, entity_type }: OfLane,
  versions: KnownAside[],
  session?: ClientSession,
): Promise<void> {
  const each = versions.map(({ record, position, at, released_at }) => ({
    ...{ record, position: { $lte: position }, at, released_at: released_at ?? NOT_RELEASED },
  }));
  await setAsides(store).deleteMany({ channel, entity_type, $or: each }, { ...(session && { session }) });
}

/** Removes released records of one lane, unless they were set aside or released again since. */
export async function forgetReleased(
  store: Store,
  { channel, entity_type }: OfLane,
  released: Pick<Released, 'record' | 'released_at'>[],
  session?: ClientSession,
): Promise<void> {
  const each = released.map(({ record, released_at }) => ({ record, released_at }));
  await setAsides(store).deleteMany({ channel, entity_type, $or: each }, { ...(session && { session }) });
}

/** A customer may ask for all that it has again: no more than this is in memory at once. */
export const RELEASED_AT_ONCE = 1_000;

/** The first `RELEASED_AT_ONCE` behind the record `after`, in the order of delivery. */
export async function listReleased(
  store: Store,
  channel: string,
  entity_type?: EntityType,
  after = '',
): Promise<Released[]> {
  const behind = { record: { $gt: after }, released_at: { $exists: true } };
  return setAsides(store)
    .find<Released>({ channel, ...(entity_type && { entity_type }), ...behind })
    .sort({ entity_type: 1, record: 1 })
    .limit(RELEASED_AT_ONCE)
    .toArray();
}

/** Sends records again by themselves; those that are set aside are released. */
export async function releaseForResend(
  store: Store,
  { channel, entity_type }: OfLane,
  chosen: { id: string; position: number }[],
): Promise<void> {
  const now = timeNow();
  for (const list of batchesOf(chosen))
    await setAsides(store).bulkWrite(
      list.map(({ id: record, position }) => ({
        updateOne: {
          filter: { _id: `${channel}/${entity_type}/${record}` },
          update: {
            $set: { released_at: now },
            $unset: { stumble: 1 },
            $setOnInsert: { channel, entity_type, record, position, at: now, resend: true },
          },
          upsert: true,
        },
      })),
      { ordered: false },
    );
}

/** What was refused, in the order of its ids. */
export async function listSetAside(
  store: Store,
  channel: string,
  filter: { entity_type?: EntityType | undefined; released?: boolean; limit?: number } = {},
): Promise<SetAside[]> {
  const { entity_type, released, limit } = filter;
  const found = setAsides(store)
    .find({
      ...(await refusedBy(store, channel, entity_type)),
      ...(released === undefined ? {} : { released_at: { $exists: released } }),
    })
    .sort({ entity_type: 1, record: 1 });
  return (limit === undefined ? found : found.limit(limit)).toArray();
}

/** What the customer has refused of the types that it gets, released or not. */
export const listRefused = (
  store: Store,
  { _id: channel, entity_types }: Pick<Channel, '_id' | 'entity_types'>,
  session: ClientSession,
): Promise<Pick<SetAside, 'entity_type' | 'record'>[]> =>
  setAsides(store)
    .find(
      { channel, ...REFUSED, entity_type: { $in: entity_types } },
      { projection: { entity_type: 1, record: 1 }, session },
    )
    .toArray();

/** How many records of each of these channels are set aside and not released; a channel without any is left out. */
export async function countSetAside(
  store: Store,
  channels: Pick<Channel, '_id' | 'entity_types'>[],
): Promise<Map<string, number>> {
  const waiting = { channel: slugRange(channels), ...REFUSED, released_at: NOT_RELEASED };
  const lanes = setAsides(store).aggregate<{ _id: OfLane; records: number }>([
    { $match: waiting },
    { $group: { _id: { channel: '$channel', entity_type: '$entity_type' }, records: { $sum: 1 } } },
  ]);
  const carried = new Map(channels.map(({ _id, entity_types }) => [_id, entity_types]));
  const counts = new Map<string, number>();
  for (const { _id, records } of await lanes.toArray())
    if (carried.get(_id.channel)?.includes(_id.entity_type))
      counts.set(_id.channel, (counts.get(_id.channel) ?? 0) + records);
  return counts;
}

/** How many records of a lane wait to be sent again. */
export async function countReleased(store: Store, { channel, entity_type }: OfLane): Promise<number> {
  return setAsides(store).countDocuments({ channel, entity_type, released_at: { $exists: true } });
}

/**
 * Releases the named records, or all of the channel where no list is given, to be sent again with the next run.
 * @returns the number of records released
 */
export async function releaseSetAside(
  store: Store,
  channel: string,
  which: { entity_type?: EntityType | undefined; records?: string[] },
): Promise<number> {
  const { entity_type, records } = which;
  const released = await setAsides(store).updateMany(
    {
      ...(await refusedBy(store, channel, entity_type)),
      ...(records && { record: { $in: records } }),
    },
    { $set: { released_at: timeNow() }, $unset: { stumble: 1 } },
  );
  return released.matchedCount;
}

/** What is noted of a page that has failed, until one is confirmed. */
export interface Stumble {
  /** The last delivery that it failed in, and the number of deliveries. */
  delivery: string;
  deliveries: number;
  /** The positions of records that were refused alone while no other was confirmed, and when one was confirmed last. */
  refused?: number[];
  confirmed?: Date | null;
}

/** The document that a page begins with: its marker, or the first of the records that were released. */
export interface StumbleAt {
  collection: 'markers' | 'set_aside';
  id: string;
}

/** Counts the deliveries in which a page has failed, and keeps what was refused alone. */
export async function noteStumble(
  store: Store,
  { collection, id }: StumbleAt,
  seen: Pick<Stumble, 'delivery' | 'refused' | 'confirmed'>,
): Promise<Stumble> {
  const documents = store.db.collection<{ _id: string; stumble?: Stumble }>(collection);
  const known = (await documents.findOne({ _id: id }))?.stumble;
  const deliveries = (known?.deliveries ?? 0) + (known?.delivery === seen.delivery ? 0 : 1);
  const stumble = { ...known, ...seen, deliveries };
  await documents.updateOne({ _id: id }, { $set: { stumble } });
  return stumble;
}

/** Of a closed channel. */
export async function forgetSetAside(store: Store, channel: string): Promise<void> {
  await setAsides(store).deleteMany({ channel });
}

/** Of records that are erased, with every channel. */
export async function forgetAsideOf(
  store: Store,
  types: readonly EntityType[],
  record: Condition<string>,
): Promise<void> {
  await setAsides(store).deleteMany({ entity_type: { $in: [...types] }, record });
}
