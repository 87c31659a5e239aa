import type { ClientSession } from 'mongodb';
import type { EntityType } from '../domain/entity-types';
import type { Store } from './connect';
import { changeTimeAt } from './records';

/** Per channel and entity type: the position the customer has confirmed. */
export interface Marker {
  /** `<channel>/<entity_type>`, and `/<account>` behind it for a catch-up */
  _id: string;
  channel: string;
  entity_type: EntityType;
  position: number;
  /** Counts resets; a delivery holds the one it was planned with. */
  generation: number;
  /** Fences older attempts out: only the newest one may move the marker (commit-order 3). */
  epoch: number;
  /** How far the delivery under way has come, so that a retry knows which page it is at. */
  progress?: Progress;
  /** The change time of the last confirmed record; null before the first delivery. */
  timestamp: Date | null;
  delivered_at: Date | null;
  last_reset?: { timestamp: Date; at: Date };
  /** The last window held less than was planned: records had moved on meanwhile. */
  short?: boolean;
}

export interface Progress {
  delivery: string;
  pages: number;
  records: number;
  bytes: number;
}

export const markerId = (channel: string, type: EntityType) => `${channel}/${type}`;

const markers = (store: Store) => store.db.collection<Marker>('markers');

export const markerIndexes = [{ name: 'channel', key: { channel: 1 } }];

/** The channel's own markers by entity type; one that is missing is made, at the beginning. */
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

export async function readMarkers(
  store: Store,
  channel: string,
  session?: ClientSession,
): Promise<Map<EntityType, Marker>> {
  const found = await markers(store)
    .find({ channel, account: { $exists: false } }, { ...(session && { session }) })
    .toArray();
  return new Map(found.map((marker) => [marker.entity_type, marker]));
}

/** Where a new channel begins. A marker that is there already stays as it is. */
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
 * Begins an attempt: from now on no older attempt can move the marker (commit-order 3).
 * @returns the marker, or null when a reset has come since the delivery was planned
 */
export async function beginAttempt(
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
 * Moves the marker past a confirmed page, by compare-and-set on the epoch (commit-order 3).
 * @returns false when a newer attempt or a reset has taken over: stop quietly
 */
export async function moveMarker(
  store: Store,
  attempt: { id: string; epoch: number },
  to: { position: number; timestamp: Date; progress: Progress },
): Promise<boolean> {
  const moved = await markers(store).updateOne(
    { _id: attempt.id, epoch: attempt.epoch },
    { $set: { ...to, delivered_at: new Date() } },
  );
  return moved.matchedCount === 1;
}

export async function noteShort(store: Store, id: string, short: boolean): Promise<void> {
  await markers(store).updateOne({ _id: id }, { $set: { short } });
}

/** Moves the marker over positions that hold nothing for this channel. False as in `moveMarker`. */
export async function skipMarker(
  store: Store,
  attempt: { id: string; epoch: number },
  position: number,
): Promise<boolean> {
  const moved = await markers(store).updateOne(
    { _id: attempt.id, epoch: attempt.epoch },
    { $set: { position } },
  );
  return moved.matchedCount === 1;
}

/** As `skipMarker`, for a planner that holds no epoch: only if the marker is where the planner saw it. */
export async function skipEmptyWindow(store: Store, seen: Marker, position: number): Promise<void> {
  await markers(store).updateOne(
    { _id: seen._id, generation: seen.generation, epoch: seen.epoch, position: seen.position },
    { $set: { position }, $inc: { epoch: 1 } },
  );
}

/**
 * A reset: one update that moves the marker back, never forward, and fences every attempt in flight
 * (commit-order 3). Without a floor nothing is to be sent again and the marker stays.
 */
export async function resetMarker(
  store: Store,
  channel: string,
  type: EntityType,
  reset: { timestamp: Date; floor: number | undefined },
): Promise<void> {
  await startMarker(store, channel, type, 0);
  const id = markerId(channel, type);
  const last_reset = { timestamp: reset.timestamp, at: new Date() };
  if (reset.floor === undefined) {
    await markers(store).updateOne({ _id: id }, { $set: { last_reset } });
    return;
  }
  const timestamp = await changeTimeAt(store, type, reset.floor);
  await markers(store).updateOne(
    { _id: id },
    {
      $min: { position: reset.floor, timestamp },
      $set: { last_reset },
      $inc: { generation: 1, epoch: 1 },
    },
  );
}
