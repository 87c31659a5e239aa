import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import { DELIVERY_STATUSES, type DeliverySpan, type DeliveryStatus } from '../../store/deliveries/deliveries';
import { DAY_MS } from '../../domain/time/spans';

export const TIMELINE_MS = DAY_MS;

/** One entity type's deliveries of the last 24 hours. */
export interface TimelineRow {
  entity_type: EntityType;
  counts: { status: DeliveryStatus; count: number }[];
  bars: TimelineBar[];
}

/** The position of a delivery in its row, in percent from 24 hours ago to now. */
export interface TimelineBar {
  delivery: DeliverySpan;
  from: number;
  width: number;
}

// Keeps very short deliveries visible.
const MIN_WIDTH = 0.1;

/** One row per entity type that the channel carries or that was delivered. */
export function timelineOf(carried: EntityType[], spans: DeliverySpan[], now: Date): TimelineRow[] {
  return ENTITY_TYPES.map((entity_type) => {
    const own = spans.filter((span) => span.entity_type === entity_type);
    const counts = DELIVERY_STATUSES.map((status) => ({ status, count: countOf(own, status) }));
    return {
      entity_type,
      counts: counts.filter(({ count }) => count > 0),
      bars: own.sort(failedLast).map((delivery) => barOf(delivery, now.getTime())),
    };
  }).filter(({ entity_type, bars }) => carried.includes(entity_type) || bars.length > 0);
}

function barOf(delivery: DeliverySpan, now: number): TimelineBar {
  const percent = (at: number) => Math.min(100, Math.max(0, (100 * (at - now + TIMELINE_MS)) / TIMELINE_MS));
  const end = percent(delivery.ended_at?.getTime() ?? now);
  const width = Math.max(MIN_WIDTH, end - percent(delivery.started_at.getTime()));
  return { delivery, from: round(Math.min(100 - width, end - width)), width: round(width) };
}

const countOf = (spans: DeliverySpan[], wanted: DeliveryStatus) =>
  spans.filter(({ status }) => status === wanted).length;

// Drawn last, so that failures are on top.
const failedLast = (a: DeliverySpan, b: DeliverySpan) =>
  Number(a.status === 'failed') - Number(b.status === 'failed');

const round = (percent: number) => Math.round(percent * 100) / 100;
