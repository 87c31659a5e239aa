import type { EntityType } from '../domain/entity-types';
import type { DeliveryStatus } from '../store/deliveries/deliveries';
import { deliveriesClosed, deliveryDuration, deliveryRecords } from './instruments';

/** Counts a closed delivery. */
export function countDelivery(outcome: {
  channel: string;
  entity_type: EntityType;
  status: DeliveryStatus;
  totals: { records: number };
  duration_ms: number;
}): void {
  const { channel, entity_type, status, totals, duration_ms } = outcome;
  deliveriesClosed.inc({ channel, entity_type, status });
  deliveryRecords.inc({ channel, entity_type }, totals.records);
  deliveryDuration.observe({ entity_type, status }, duration_ms / 1_000);
}
