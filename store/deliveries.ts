import type { Filter } from 'mongodb';
import type { EntityType } from '../domain/entity-types';
import type { Totals } from '../domain/totals';
import type { Store } from './connect';

export const DELIVERY_STATUSES = ['running', 'delivered', 'failed', 'superseded', 'resized'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One answer of the customer that did not confirm its page. */
export interface FailedAttempt {
  at: Date;
  failure: string;
  status: number | null;
  reason: string;
  /** The beginning of what the customer said, without our own secrets in it. */
  answer: string;
  /** The page's X-Request-ID, by which the customer finds it; not in reports of earlier versions. */
  request_id?: string;
}

/** One window being delivered, or its report; outlives Temporal's retention (delivery). */
export interface Delivery {
  /** the id of its workflow */
  _id: string;
  channel: string;
  entity_type: EntityType;
  catch_up: boolean;
  run: number;
  trigger: string;
  status: DeliveryStatus;
  failure: string | null;
  failure_message: string | null;
  /** The window: positions above `from`, up to and including `to`. */
  from: number;
  to: number;
  pages: number;
  records: number;
  bytes: number;
  set_aside?: number;
  /** Known at its end. */
  attempts?: number;
  duration_ms?: number;
  /** The last of the attempts that were not confirmed. */
  failed_attempts: FailedAttempt[];
  workflow_run_id: string;
  started_at: Date;
  ended_at: Date | null;
  expires_at: Date;
}

const ATTEMPTS_KEPT = 20;
const DAY_MS = 24 * 3_600_000;

const deliveries = (store: Store) => store.db.collection<Delivery>('deliveries');

// Each report names its own end, so that another retention needs no other index.
export const deliveryIndexes = [
  { name: 'channel_started', key: { channel: 1, started_at: -1, _id: -1 } },
  { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 },
];

export type DeliveryStart = Pick<
  Delivery,
  '_id' | 'channel' | 'entity_type' | 'catch_up' | 'run' | 'trigger' | 'from' | 'to' | 'workflow_run_id'
>;

/** Opens the report; a retry finds it open. An older one of the same marker cannot be running any more. */
export async function openDelivery(store: Store, start: DeliveryStart, retentionDays: number): Promise<void> {
  const { _id, channel, entity_type, catch_up, run, trigger, from, to, workflow_run_id } = start;
  const now = Date.now();
  const created = await deliveries(store).updateOne(
    { _id },
    {
      $setOnInsert: {
        channel,
        entity_type,
        catch_up,
        run,
        trigger,
        from,
        to,
        workflow_run_id,
        status: 'running',
        failure: null,
        failure_message: null,
        pages: 0,
        records: 0,
        bytes: 0,
        failed_attempts: [],
        started_at: new Date(now),
        ended_at: null,
        expires_at: new Date(now + retentionDays * DAY_MS),
      },
    },
    { upsert: true },
  );
  if (created.upsertedCount === 0) return;
  await deliveries(store).updateMany(
    { channel, entity_type, catch_up, status: 'running', _id: { $ne: _id } },
    { $set: { status: 'superseded', ended_at: new Date() } },
  );
}

/** What one activity achieved. */
export async function reportProgress(
  store: Store,
  id: string,
  totals: Totals,
  failed?: FailedAttempt,
): Promise<void> {
  await deliveries(store).updateOne(
    { _id: id },
    {
      $set: {
        pages: totals.pages,
        records: totals.records,
        bytes: totals.bytes,
        set_aside: totals.set_aside,
      },
      ...(failed ? { $push: { failed_attempts: { $each: [failed], $slice: -ATTEMPTS_KEPT } } } : {}),
    },
  );
}

export async function closeDelivery(
  store: Store,
  id: string,
  end: Pick<Delivery, 'status' | 'failure' | 'failure_message' | 'attempts' | 'duration_ms'>,
): Promise<void> {
  await deliveries(store).updateOne(
    { _id: id, status: 'running' },
    { $set: { ...end, ended_at: new Date() } },
  );
}

/** What a picture of a time needs of a delivery. */
export type DeliverySpan = Pick<
  Delivery,
  | '_id'
  | 'entity_type'
  | 'catch_up'
  | 'status'
  | 'failure_message'
  | 'records'
  | 'pages'
  | 'started_at'
  | 'ended_at'
>;

// No delivery is longer than the longest cadence, and a few pages.
const LONGEST_MS = 2 * DAY_MS;

/** Those that were under way at any time since then, newest first. */
export async function deliveriesSince(
  store: Store,
  channel: string,
  since: Date,
  limit: number,
): Promise<DeliverySpan[]> {
  const filter = {
    channel,
    started_at: { $gt: new Date(since.getTime() - LONGEST_MS) },
    $or: [{ ended_at: null }, { ended_at: { $gt: since } }],
  };
  return deliveries(store)
    .find(filter, { projection: { failed_attempts: 0 } })
    .sort({ started_at: -1, _id: -1 })
    .limit(limit)
    .toArray();
}

/** Newest first. `after` is the last one of the page before. */
export async function listDeliveries(
  store: Store,
  channel: string,
  query: {
    entity_type?: EntityType | undefined;
    status?: DeliveryStatus | undefined;
    limit: number;
    after?: { started_at: Date; id: string } | undefined;
  },
): Promise<Delivery[]> {
  const filter: Filter<Delivery> = { channel };
  if (query.entity_type) filter.entity_type = query.entity_type;
  if (query.status) filter.status = query.status;
  if (query.after) {
    const { started_at, id } = query.after;
    filter.$or = [{ started_at: { $lt: started_at } }, { started_at, _id: { $lt: id } }];
  }
  return deliveries(store).find(filter).sort({ started_at: -1, _id: -1 }).limit(query.limit).toArray();
}
