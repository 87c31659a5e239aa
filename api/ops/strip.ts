import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import { DELIVERY_STATUSES, type DeliverySpan, type DeliveryStatus } from '../../store/deliveries';

export const STRIP_MS = 24 * 3_600_000;

/** One entity type's deliveries of the last 24 hours. */
export interface Lane {
  entity_type: EntityType;
  counts: { status: DeliveryStatus; count: number }[];
  marks: Mark[];
}

/** Where a delivery stands in its lane, in percent from 24 hours ago to now. */
export interface Mark {
  delivery: DeliverySpan;
  from: number;
  width: number;
}

// Something must be seen of what took a moment.
const LEAST_WIDTH = 0.1;

/** A lane for each type that the channel carries, and for any other that was delivered. */
export function lanesOf(carried: EntityType[], spans: DeliverySpan[], now: Date): Lane[] {
  return ENTITY_TYPES.map((entity_type) => {
    const own = spans.filter((span) => span.entity_type === entity_type);
    const counts = DELIVERY_STATUSES.map((status) => ({ status, count: countOf(own, status) }));
    return {
      entity_type,
      counts: counts.filter(({ count }) => count > 0),
      marks: own.sort(failedLast).map((delivery) => markOf(delivery, now.getTime())),
    };
  }).filter(({ entity_type, marks }) => carried.includes(entity_type) || marks.length > 0);
}

function markOf(delivery: DeliverySpan, now: number): Mark {
  const percent = (at: number) => Math.min(100, Math.max(0, (100 * (at - now + STRIP_MS)) / STRIP_MS));
  const end = percent(delivery.ended_at?.getTime() ?? now);
  const width = Math.max(LEAST_WIDTH, end - percent(delivery.started_at.getTime()));
  return { delivery, from: round(Math.min(100 - width, end - width)), width: round(width) };
}

const countOf = (spans: DeliverySpan[], wanted: DeliveryStatus) =>
  spans.filter(({ status }) => status === wanted).length;

// What is drawn last lies on top.
const failedLast = (a: DeliverySpan, b: DeliverySpan) =>
  Number(a.status === 'failed') - Number(b.status === 'failed');

const round = (percent: number) => Math.round(percent * 100) / 100;
