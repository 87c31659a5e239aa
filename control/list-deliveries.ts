import { failureForCustomers, forCustomers } from '../domain/deliveries/for-customers';
import { ENTITY_TYPES } from '../domain/records/entity-types';
import { DELIVERY_STATUSES, type DeliveryDocument, findDeliveries } from '../store/deliveries/deliveries';
import { aCount, anInstant, aText, maybe, oneOf } from './answers';
import { entityType } from './fields';
import { channelList } from './list';

const status = oneOf(
  DELIVERY_STATUSES,
  'superseded: a reset, a pause or a later run took its place. resized: the page size changed, and the rest ' +
    'was planned again.',
);

/** A channel's deliveries, newest first (docs/contract.md C17). */
export const deliveriesList = channelList<DeliveryDocument>()({
  filters: {
    entity_type: {
      ...{
        schema: entityType(),
        kinds: ENTITY_TYPES,
        flags: '--entity <type>',
        says: 'only this entity type',
      },
      wrong: 'must be accounts, contracts, tickets or settlements',
    },
    status: {
      ...{ schema: status, kinds: DELIVERY_STATUSES, flags: '--status <status>', says: 'only these' },
      wrong: `must be one of ${DELIVERY_STATUSES.join(', ')}`,
    },
  },
  members: {
    id: {
      told: aText('The id of its workflow; the pages carry it as `X-Delivery-ID`.'),
      of: ({ _id }) => _id,
    },
    entity_type: { told: entityType() },
    trigger: {},
    request_id: { of: ({ request_id = null }) => request_id },
    status: { told: status },
    failure: { told: maybe('The class of the answer that ended it: unavailable, throttled, refused ...') },
    failure_message: { told: maybe('The same as a sentence.') },
    pages: { told: aCount('Pages confirmed.') },
    records: { told: aCount('Records confirmed.') },
    bytes: {},
    set_aside: {
      told: aCount('Records that you refused by themselves: they come when they are released.'),
      of: ({ set_aside = 0 }) => set_aside,
    },
    failed_attempts: {},
    started_at: { told: anInstant('When it began.') },
    ended_at: { told: maybe('When it ended; null while it runs.', 'date-time') },
  },
  forCustomers: (delivery) => ({
    ...delivery,
    failure_message: failureForCustomers(delivery.failure, delivery.failure_message),
    failed_attempts: delivery.failed_attempts.map((attempt) => ({
      ...attempt,
      reason: forCustomers(attempt.reason),
    })),
  }),
  find: (store, { _id }, asked) => findDeliveries(store, _id, asked),
  cursor: {
    of: ({ started_at, _id }) =>
      Buffer.from(JSON.stringify([started_at.getTime(), _id])).toString('base64url'),
    read: readCursor,
  },
  api: {
    id: 'listDeliveries',
    tag: 'deliveries',
    path: '/deliveries',
    summary: 'What was sent, and what failed',
    schema: 'Deliveries',
    says: 'Newest first.',
    sample: {
      id: 'delivery/acme/tickets/41',
      entity_type: 'tickets',
      status: 'failed',
      failure: 'unavailable',
      failure_message: 'Acme Crop Insurance answered 503',
      pages: 2,
      records: 2000,
      set_aside: 0,
      started_at: '2026-11-21T08:13:00.102Z',
      ended_at: '2026-11-21T09:01:07.250Z',
    },
  },
  gdx: {
    limit: 20,
    columns: {
      ...{ started_at: true, entity_type: true, status: true, pages: true, records: true, set_aside: true },
      seconds: ({ started_at, ended_at }) =>
        ended_at && ((ended_at.getTime() - started_at.getTime()) / 1_000).toFixed(1),
      trigger: true,
      // For a running delivery, the latest response. Failed attempts of a delivered one are only in --json.
      error: ({ status: now, failure_message, failed_attempts }) =>
        now === 'delivered' ? undefined : (failure_message ?? failed_attempts.at(-1)?.reason),
      id: true,
    },
    none: 'No deliveries found: runs without changes send nothing and are not listed.',
  },
});

const LATEST_DATE = 8.64e15;

function readCursor(text: string): { started_at: Date; id: string } | undefined {
  try {
    const [at, id] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    if (typeof id !== 'string' || !Number.isInteger(at) || Math.abs(at as number) > LATEST_DATE)
      return undefined;
    return { started_at: new Date(at as number), id };
  } catch {
    return undefined;
  }
}
