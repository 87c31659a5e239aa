import type { Logger } from 'pino';
import type { EntityType } from '../domain/entity-types';
import { setNotBefore } from '../store/channels';
import type { Store } from '../store/connect';
import { closeDelivery, type DeliveryStatus, type Totals } from '../store/deliveries';
import { currentDelivery } from './current-delivery';

export interface Outcome {
  channel: string;
  entity_type: EntityType;
  catch_up: boolean;
  run: number;
  status: Exclude<DeliveryStatus, 'running'>;
  failure: string | null;
  failure_message: string | null;
  totals: Totals;
  attempts: number;
  duration_ms: number;
  /** The customer asked for more time than this delivery has (design 4). */
  not_before: string | null;
}

/** Closes the report of a delivery, and leaves its one line in the log. */
export function createRecordOutcome({ store, log }: { store: Store; log: Logger }) {
  return async function recordOutcome(outcome: Outcome): Promise<void> {
    const { delivery } = currentDelivery();
    const { channel, status, failure, failure_message, not_before } = outcome;
    await closeDelivery(store, delivery, { status, failure, failure_message });
    if (not_before) await setNotBefore(store, channel, new Date(not_before));
    log[status === 'failed' ? 'warn' : 'info']({ delivery, ...outcome }, `delivery ${status}`);
  };
}
