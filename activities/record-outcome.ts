import type { Logger } from 'pino';
import type { ChannelClient } from '../temporal/channel-client';
import type { Outcome } from '../domain/delivery';
import { countDelivery } from '../metrics/count-delivery';
import type { Store } from '../store/store';
import { closeDeliveryReport, openDeliveryReport } from '../store/deliveries/deliveries';
import { currentDelivery } from './current-delivery';
import { judgeOutcome } from './judge-outcome';
import { withHeartbeat } from './with-heartbeat';

interface Deps {
  store: Store;
  temporal: ChannelClient;
  log: Logger;
  retentionDays: number;
}

/**
 * Closes the report of a delivery, judges what its end means for the channel and logs one line: each exactly once,
 * even when the activity is retried.
 * @returns how many notices there are to send
 */
export function createRecordOutcome(deps: Deps) {
  return (outcome: Outcome): Promise<number> => withHeartbeat(() => record(deps, outcome));
}

async function record({ store, temporal, log, retentionDays }: Deps, outcome: Outcome): Promise<number> {
  const { delivery, runId } = currentDelivery();
  const { channel, status, failure, failure_message, attempts, duration_ms } = outcome;
  // A delivery that never reached MongoDB has no report yet.
  await openDeliveryReport(store, { ...outcome, _id: delivery, workflow_run_id: runId }, retentionDays);
  const end = { status, failure, failure_message, attempts, duration_ms };
  if (await closeDeliveryReport(store, delivery, end, retentionDays)) {
    countDelivery(outcome);
    log[status === 'failed' ? 'warn' : 'info']({ delivery, ...outcome }, `delivery ${status}`);
  }
  const { notices, paused } = await judgeOutcome(store, delivery, outcome, new Date());
  // Its workflow shows the pause at once, not with the next run.
  if (paused) await temporal.settingsChanged(channel, 'paused');
  return notices;
}
