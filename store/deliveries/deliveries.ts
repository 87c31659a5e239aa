import { msNow } from '../../domain/time/elapsed';
import type { ClientSession, Filter } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import type { Totals } from '../../domain/deliveries/delivery';
import type { Judgement } from '../../domain/deliveries/alert-class';
import type { Store } from '../store';
import { DAY_MS } from '../../domain/time/spans';

export const DELIVERY_STATUSES = ['running', 'delivered', 'failed', 'superseded', 'resized'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One answer of the customer that did not confirm its page. */
export interface FailedAttempt {
  at: Date;
  failure: string;
  status: number | null;
  reason: string;
  /** The beginning of the customer's response, without our own secrets. */
  answer: string;
  /** The page's X-Request-ID. */
  request_id: string;
}

/** What is known of a delivery when it begins. */
export interface DeliveryStart {
  /** the id of its workflow */
  _id: string;
  channel: string;
  entity_type: EntityType;
  catch_up: boolean;
  run: number;
  trigger: string;
  /** The window: positions above `from`, up to and including `to`. */
  from: number;
  to: number;
  workflow_run_id: string;
  /** The X-Request-ID of what caused it, such as a customer's reset; null for a scheduled run. */
  request_id?: string | null;
}

/** The report of one delivery, open or closed; outlives Temporal's retention (docs/contract.md O14). */
export interface DeliveryDocument extends DeliveryStart {
  status: DeliveryStatus;
  failure: string | null;
  failure_message: string | null;
  pages: number;
  records: number;
  bytes: number;
  set_aside?: number;
  /** Set when it is closed. */
  attempts?: number;
  duration_ms?: number;
  /** The last attempts that were not confirmed. */
  failed_attempts: FailedAttempt[];
  started_at: Date;
  ended_at: Date | null;
  /** The consequences for the channel, judged once. */
  judged?: Judgement & { at: Date };
  expires_at: Date;
}

const MAX_ATTEMPTS_STORED = 20;
// Successful deliveries are seldom looked up later; failed ones are stored for GDX_RETENTION_DAYS (docs/settings.md).
const SUCCESS_DAYS = 30;

export const deliveries = (store: Store) => store.db.collection<DeliveryDocument>('deliveries');

// Each report has its own expiry, so that a change of the retention needs no new index.
export const deliveryIndexes = [
  { name: 'channel_started', key: { channel: 1, started_at: -1, _id: -1 } },
  // Open deliveries, however many reports there are.
  {
    name: 'running',
    key: { channel: 1, entity_type: 1, catch_up: 1 },
    partialFilterExpression: { status: 'running' },
  },
  { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 },
];

/** Opens the report, once. An older open one of the same marker is superseded. */
export async function openDeliveryReport(
  store: Store,
  start: DeliveryStart,
  retentionDays: number,
): Promise<void> {
  const { _id, channel, entity_type, catch_up, run, trigger, from, to, workflow_run_id } = start;
  const { request_id = null } = start;
  const now = msNow();
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
        request_id,
        status: 'running',
        failure: null,
        failure_message: null,
        pages: 0,
        records: 0,
        bytes: 0,
        failed_attempts: [],
        started_at: new Date(now),
        ended_at: null,
        expires_at: expiry(now, 'running', retentionDays),
      },
    },
    { upsert: true },
  );
  if (created.upsertedCount === 0) return;
  await deliveries(store).updateMany(
    { channel, entity_type, catch_up, status: 'running', _id: { $ne: _id } },
    {
      $set: {
        status: 'superseded',
        ended_at: new Date(now),
        expires_at: expiry(now, 'superseded', retentionDays),
      },
    },
  );
}

/** An open report may still fail, so it expires like a failed one. */
function expiry(now: number, status: DeliveryStatus, retentionDays: number): Date {
  const well = status !== 'failed' && status !== 'running';
  return new Date(now + (well ? Math.min(SUCCESS_DAYS, retentionDays) : retentionDays) * DAY_MS);
}

/** Records what the customer has collected of a delivery, which may have closed before. */
export async function reportCollected(
  store: Store,
  { delivery, ...totals }: { delivery: string } & Pick<Totals, 'pages' | 'records' | 'bytes'>,
  session: ClientSession,
): Promise<void> {
  await deliveries(store).updateOne({ _id: delivery }, { $max: totals }, { session });
}

/** Records the progress of one slice. The totals never fall: a page may have been collected since. */
export async function reportProgress(
  store: Store,
  id: string,
  { pages, records, bytes, set_aside }: Totals,
  failed?: FailedAttempt,
): Promise<void> {
  await deliveries(store).updateOne(
    { _id: id },
    {
      $max: { pages, records, bytes, set_aside },
      ...(failed ? { $push: { failed_attempts: { $each: [failed], $slice: -MAX_ATTEMPTS_STORED } } } : {}),
    },
  );
}

/** Closes the report, once. @returns whether it was this call that closed it */
export async function closeDeliveryReport(
  store: Store,
  id: string,
  end: Pick<DeliveryDocument, 'status' | 'failure' | 'failure_message' | 'attempts' | 'duration_ms'>,
  retentionDays: number,
): Promise<boolean> {
  const now = msNow();
  const closed = await deliveries(store).updateOne(
    { _id: id, status: 'running' },
    { $set: { ...end, ended_at: new Date(now), expires_at: expiry(now, end.status, retentionDays) } },
  );
  return closed.modifiedCount === 1;
}

/** What the timeline shows of a delivery. */
export type DeliverySpan = Omit<DeliveryDocument, 'failed_attempts'>;

// No delivery takes longer than the longest cadence and a few pages.
const MAX_MS = 2 * DAY_MS;

/** The deliveries that were open at any time since then, newest first. */
export async function deliveriesSince(
  store: Store,
  channel: string,
  since: Date,
  limit: number,
): Promise<DeliverySpan[]> {
  const filter = {
    channel,
    started_at: { $gt: new Date(since.getTime() - MAX_MS) },
    $or: [{ ended_at: null }, { ended_at: { $gt: since } }],
  };
  return deliveries(store)
    .find(filter, { projection: { failed_attempts: 0 } })
    .sort({ started_at: -1, _id: -1 })
    .limit(limit)
    .toArray();
}

/** Forgets what customers of these channels have answered: it may repeat a record that is erased. */
export async function forgetAnswers(
  store: Store,
  channel: string[],
  entity_type: readonly EntityType[],
): Promise<void> {
  const answered = { channel: { $in: channel }, entity_type: { $in: [...entity_type] } };
  await deliveries(store).updateMany(
    { ...answered, 'failed_attempts.answer': { $gt: '' } },
    { $set: { 'failed_attempts.$[].answer': '' } },
  );
}

/** Newest first. `after` is the last one of the previous page. */
export async function findDeliveries(
  store: Store,
  channel: string,
  query: {
    entity_type?: EntityType | undefined;
    status?: DeliveryStatus | undefined;
    limit: number;
    after?: { started_at: Date; id: string } | undefined;
  },
): Promise<DeliveryDocument[]> {
  const filter: Filter<DeliveryDocument> = { channel };
  if (query.entity_type) filter.entity_type = query.entity_type;
  if (query.status) filter.status = query.status;
  if (query.after) {
    const { started_at, id } = query.after;
    filter.$or = [{ started_at: { $lt: started_at } }, { started_at, _id: { $lt: id } }];
  }
  return deliveries(store).find(filter).sort({ started_at: -1, _id: -1 }).limit(query.limit).toArray();
}
