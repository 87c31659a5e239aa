import { isEntityType, type EntityType } from '../../domain/records/entity-types';
import {
  DELIVERY_STATUSES,
  type DeliveryDocument,
  type DeliveryStatus,
} from '../../store/deliveries/deliveries';
import { ListQuery } from '../http/list-query';

const LATEST_DATE = 8.64e15;

export interface DeliveriesQuery {
  entity_type: EntityType | undefined;
  status: DeliveryStatus | undefined;
  limit: number;
  after: { started_at: Date; id: string } | undefined;
}

/**
 * The query of `GET .../deliveries` (docs/contract.md C17).
 * @throws HttpError VALIDATION_ERROR with all validation messages
 */
export function deliveriesQuery(given: Readonly<Record<string, unknown>>): DeliveriesQuery {
  const query = new ListQuery(given);
  const type = 'must be accounts, contracts, tickets or settlements';
  const read = {
    entity_type: query.read('entity_type', parseEntityType, type),
    status: query.read('status', parseStatus, `must be one of ${DELIVERY_STATUSES.join(', ')}`),
    limit: query.limit(),
    after: query.after(parseCursor),
  };
  query.refuseIfWrong();
  return read;
}

/** The cursor of the page after `last`, opaque to the caller. */
export function cursorAfter(last: Pick<DeliveryDocument, '_id' | 'started_at'>): string {
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
