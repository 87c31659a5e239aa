import { timeNow } from '../../domain/time/elapsed';
import type { ClientSession } from 'mongodb';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import type { Lateness } from '../../domain/deliveries/lateness';
import type { Stumble } from '../deliveries/set-aside';
import type { Store } from '../store';
import type { Found } from '../window/window';

/** What a marker keeps to be shown and counted. No delivery goes by it. */
interface MarkerReport {
  last_reset?: { timestamp: Date; at: Date };
  /** Up to here a wait is the customer's own doing: its last answer that confirmed nothing, or the end of its Retry-After. */
  held_until?: Date;
  /** Changes stored before are none of those that may be late: the type was added, or posted, only then. */
  counted_from?: Date;
  /** How late the changes were that the customer has confirmed. */
  lateness?: Lateness;
  /** What the last plan found above the marker, minus the records confirmed since. */
  found?: PlanFinding;
}

/** Per channel and entity type: the position the customer has confirmed. */
export interface Marker extends MarkerReport {
  /** `<channel>/<entity_type>`, and `/<account>` behind it for a catch-up */
  _id: string;
  channel: string;
  entity_type: EntityType;
  position: number;
  /**
   * Where a channel with `--since` began: what lies up to here was never sent, unless it was asked for. Missing where it
   * began with everything.
   */
  began?: number;
  /** The highest position that it has stood at: a reset sends again what lies up to here. */
  high?: number;
  /** Counts resets; a delivery carries the one it was planned with. */
  generation: number;
  /**
   * The fencing token: only the holder of the newest epoch may move the marker (docs/architecture.md#commit-order,
   * rule 3).
   */
  epoch: number;
  /** The progress of the open delivery, so that a retry knows its page number. */
  progress?: Progress;
  /** The change time of the last confirmed record; null before the first delivery. */
  timestamp: Date | null;
  /** When the customer last confirmed a page of this entity type, a catch-up's and a released record's too. */
  delivered_at: Date | null;
  /** The last window held fewer records than planned, as some had changed again. */
  short?: boolean;
  /** The customer's Retry-After: until then only `deliver now` sends this entity type. */
  not_before?: Date;
  /** The last attempt got no answer. */
  unanswered?: boolean;
  /** The page above the marker has failed. */
  stumble?: Stumble;
}

type PlanFinding = Omit<Found, 'read'> & { at: Date };

export interface Progress {
  delivery: string;
  pages: number;
  records: number;
  bytes: number;
  /** The size of these pages. When it changes, a catch-up converts `pages` to full pages of the new size. */
  page_size?: number;
}

/** The attempt that made a page. Only this attempt may move the marker (docs/architecture.md#commit-order, rule 3). */
export interface Fence {
  /** The marker's id. */
  id: string;
  epoch: number;
}

/** The position that a confirmed page moves a marker to, and what the marker keeps of it. */
export interface MarkerMove {
  position: number;
  timestamp: Date;
  progress: Progress;
  /** The number of the page's records. */
  records?: number;
  /** The marker's lateness with the changes of the page. */
  lateness?: Lateness;
}

export const markerId = (channel: string, type: EntityType) => `${channel}/${type}`;

export const markers = (store: Store) => store.db.collection<Marker>('markers');

export const markerIndexes = [{ name: 'channel', key: { channel: 1 } }];

/** The channel's own markers by entity type; missing ones are created at position 0. */
export async function ensureMarkers(
  store: Store,
  channel: string,
  types: EntityType[],
  session?: ClientSession,
): Promise<Map<EntityType, Marker>> {
  const found = await readMarkers(store, channel, session);
  const missing = types.filter((type) => !found.has(type));
  if (missing.length === 0) return found;
  for (const type of missing) await startMarker(store, channel, type, 0, session);
  return readMarkers(store, channel, session);
}

/** Reads them by their ids, as the channel may have thousands of open catch-ups in the same collection. */
export async function readMarkers(
  store: Store,
  channel: string,
  session?: ClientSession,
): Promise<Map<EntityType, Marker>> {
  const _id = { $in: ENTITY_TYPES.map((type) => markerId(channel, type)) };
  const found = await markers(store)
    .find({ _id }, { ...(session && { session }) })
    .toArray();
  return new Map(found.map((marker) => [marker.entity_type, marker]));
}

/** Creates a marker; an existing one stays as it is. */
export async function startMarker(
  store: Store,
  channel: string,
  type: EntityType,
  position: number,
  session?: ClientSession,
): Promise<void> {
  await markers(store).updateOne(
    { _id: markerId(channel, type) },
    {
      $setOnInsert: {
        channel,
        entity_type: type,
        position,
        high: position,
        generation: 0,
        epoch: 0,
        timestamp: null,
        delivered_at: null,
      },
    },
    { upsert: true, ...(session && { session }) },
  );
}

/**
 * Takes the next epoch: from now on no holder of an older one can move the marker (docs/architecture.md#commit-order,
 * rule 3).
 * @returns the marker, or null when a reset has come since the delivery was planned
 */
export async function takeEpoch(
  store: Store,
  id: string,
  generation: number,
  session?: ClientSession,
): Promise<Marker | null> {
  return markers(store).findOneAndUpdate(
    { _id: id, generation },
    { $inc: { epoch: 1 } },
    { returnDocument: 'after', ...(session && { session }) },
  );
}

/**
 * Moves the marker past a confirmed page, by compare-and-set on the epoch (docs/architecture.md#commit-order, rule
 * 3).
 * @returns false when a newer epoch or a reset has taken over: stop quietly
 */
export async function moveMarker(
  store: Store,
  { id: _id, epoch }: Fence,
  { records = 0, ...set }: MarkerMove,
  session?: ClientSession,
): Promise<boolean> {
  const moved = await markers(store).updateOne(
    { _id, epoch },
    {
      $set: { ...set, delivered_at: timeNow() },
      $max: { high: set.position },
      $inc: { 'found.records': -records },
      $unset: { not_before: 1, unanswered: 1, stumble: 1 },
    },
    { ...(session && { session }) },
  );
  return moved.matchedCount === 1;
}

/**
 * Records that the customer has confirmed a page which does not move this marker: of a catch-up, whose own marker is
 * removed at its end, or of released records. A Retry-After that `deliver now` cut short has expired.
 * @param epoch that of the attempt, where a newer one rules the page out
 * @returns whether the marker is there, in this epoch
 */
export async function noteDelivered(
  store: Store,
  id: string,
  epoch?: number,
  session?: ClientSession,
): Promise<boolean> {
  const noted = await markers(store).updateOne(
    { _id: id, ...(epoch !== undefined && { epoch }) },
    { $max: { delivered_at: timeNow() }, $unset: { not_before: 1 } },
    { ...(session && { session }) },
  );
  return noted.matchedCount === 1;
}

/** Whether no newer attempt, reset or revoke has taken over from this one. */
export async function holdsEpoch(store: Store, { id: _id, epoch }: Fence): Promise<boolean> {
  return (await markers(store).findOne({ _id, epoch }, { projection: { _id: 1 } })) !== null;
}

export async function setShortWindow(store: Store, id: string, short: boolean): Promise<void> {
  await markers(store).updateOne({ _id: id }, { $set: { short } });
}

/** Records the last attempt: whether the customer answered at all, and how long it keeps us waiting. */
export async function noteUnconfirmed(
  store: Store,
  id: string,
  set: Pick<Marker, 'not_before' | 'held_until'> & { unanswered: boolean },
): Promise<void> {
  await markers(store).updateOne({ _id: id }, { $set: set });
}

/** Records what a plan found above the marker, for the metrics, unless a reset came since. */
export async function noteFound(
  store: Store,
  { _id, generation }: Marker,
  found: Omit<PlanFinding, 'at'>,
): Promise<void> {
  await markers(store).updateOne({ _id, generation }, { $set: { found: { ...found, at: timeNow() } } });
}

/** Moves the marker over positions without records of this channel. @returns false as in `moveMarker` */
export async function skipMarker(
  store: Store,
  { id: _id, epoch }: Fence,
  position: number,
  session?: ClientSession,
): Promise<boolean> {
  const set = { $set: { position }, $max: { high: position }, $unset: { stumble: 1 } } as const;
  const skipped = await markers(store).updateOne({ _id, epoch }, set, { ...(session && { session }) });
  return skipped.matchedCount === 1;
}

/** As `skipMarker`, for a planner, which holds no epoch: only if the marker is unchanged since it was read. */
export async function skipEmptyWindow(store: Store, seen: Marker, position: number): Promise<void> {
  await markers(store).updateOne(
    { _id: seen._id, generation: seen.generation, epoch: seen.epoch, position: seen.position },
    { $set: { position }, $max: { high: position }, $inc: { epoch: 1 } },
  );
}

/**
 * Sets where a new channel begins. Called in the transaction that inserts the channel, so that no run plans from elsewhere.
 * Overwrites what an earlier channel has left, but no marker in use (whose epoch was taken).
 */
export async function beginMarkers(
  store: Store,
  channel: string,
  positions: ReadonlyMap<EntityType, number>,
  session?: ClientSession,
): Promise<void> {
  for (const [type, position] of positions) {
    const unused = { _id: markerId(channel, type), epoch: 0 };
    await startMarker(store, channel, type, position, session);
    const set = { $set: { position, began: position, high: position } };
    await markers(store).updateOne(unused, set, { ...(session && { session }) });
  }
}

/** What is stored by now may not be late. */
export async function countFromNow(
  store: Store,
  channel: string,
  types: readonly EntityType[],
): Promise<void> {
  const _id = { $in: types.map((type) => markerId(channel, type)) };
  await markers(store).updateMany({ _id }, { $set: { counted_from: timeNow() } });
}

/** Of a closed channel, with its catch-ups. */
export async function forgetMarkers(store: Store, channel: string): Promise<void> {
  await markers(store).deleteMany({ channel });
}
