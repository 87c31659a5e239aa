import { isEntityType, type EntityType } from '../../domain/entity-types';
import { MessageCollector } from '../../domain/validation-messages';
import { DELIVERY_STATUSES, type Delivery, type DeliveryStatus } from '../../store/deliveries';
import { invalid } from '../http-error';

export const LIMIT = { default: 50, max: 200 };
const LATEST_DATE = 8.64e15;

export interface DeliveriesQuery {
  entity_type: EntityType | undefined;
  status: DeliveryStatus | undefined;
  limit: number;
  after: { started_at: Date; id: string } | undefined;
}

/**
 * The query of `GET .../deliveries` (contract 4).
 * @throws HttpError VALIDATION_ERROR with everything that is wrong at once
 */
export function deliveriesQuery(given: Readonly<Record<string, unknown>>): DeliveriesQuery {
  const found = new MessageCollector();
  const read = <T>(name: string, parse: (text: string) => T | undefined, message: string): T | undefined => {
    const value = given[name];
    const parsed = typeof value === 'string' ? parse(value) : undefined;
    if (value !== undefined && parsed === undefined) found.add(name, message);
    return parsed;
  };
  const query = {
    entity_type: read('entity_type', parseEntityType, 'must be accounts, contracts, tickets or settlements'),
    status: read('status', parseStatus, `must be one of ${DELIVERY_STATUSES.join(', ')}`),
    limit: read('limit', parseLimit, `must be a whole number from 1 to ${LIMIT.max}`) ?? LIMIT.default,
    after: read('after', parseCursor, 'must be the `next` of an earlier answer'),
  };
  if (!found.empty) throw invalid(found.messages());
  return query;
}

/** Where a list goes on after `last`. Opaque to the caller. */
export function cursorAfter(last: Pick<Delivery, '_id' | 'started_at'>): string {
  return Buffer.from(JSON.stringify([last.started_at.getTime(), last._id])).toString('base64url');
}

function parseCursor(text: string): { started_at: Date; id: string } | undefined {
  try {
    const [at, id] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    if (typeof id !== 'string' || !Number.isInteger(at) || Math.abs(at as number) > LATEST_DATE)
      return undefined;
    return { started_at: new Date(at as number), id };
  } catch {
    return undefined;
  }
}

const parseEntityType = (text: string) => (isEntityType(text) ? text : undefined);

const parseStatus = (text: string) => DELIVERY_STATUSES.find((status) => status === text);

function parseLimit(text: string): number | undefined {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= LIMIT.max ? limit : undefined;
}
