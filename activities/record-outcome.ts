import type { Logger } from 'pino';
import type { Bell } from '../bell/bell';
import type { EntityType } from '../domain/entity-types';
import type { Totals } from '../domain/totals';
import { countDelivery } from '../metrics/count-delivery';
import { setNotBefore } from '../store/channels';
import type { Store } from '../store/connect';
import { closeDelivery, type DeliveryStatus } from '../store/deliveries';
import { currentDelivery } from './current-delivery';
import { judgeOutcome } from './judge-outcome';

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

/**
 * Closes the report of a delivery, judges what its end means for the channel, and leaves its one line in the log.
 * Returns how many alerts were opened, closed or added to: with none there is nothing to send.
 */
export function createRecordOutcome({ store, bell, log }: { store: Store; bell: Bell; log: Logger }) {
  return async function recordOutcome(outcome: Outcome): Promise<number> {
    const { delivery } = currentDelivery();
    const { channel, status, failure, failure_message, attempts, duration_ms, not_before } = outcome;
    await closeDelivery(store, delivery, { status, failure, failure_message, attempts, duration_ms });
    if (not_before) await setNotBefore(store, channel, new Date(not_before));
    const { notices, paused } = await judgeOutcome(store, outcome, new Date());
    // So that its workflow shows it at once, not with the next run.
    if (paused) await bell.settingsChanged(channel, 'paused');
    countDelivery(outcome);
    log[status === 'failed' ? 'warn' : 'info']({ delivery, ...outcome }, `delivery ${status}`);
    return notices;
  };
}
