import { randomUUID } from 'node:crypto';
import { judgeOutcome } from '../../activities/record-outcome';
import { type EntityType } from '../../domain/records/entity-types';
import type { Store } from '../../store/store';
import { closeDeliveryReport, openDeliveryReport } from '../../store/deliveries/deliveries';

/** How a delivery ends: as delivered, unless a failure or a status is given. */
export interface End {
  channel: string;
  failure?: string | undefined;
  message?: string;
  pages?: number;
  type?: EntityType;
  catchUp?: boolean;
  status?: 'superseded' | undefined;
}

/** A report that is closed with this end and not judged yet. @returns its judge, who may be called again */
export async function closeReport(store: Store, end: End) {
  const { channel, failure = null, type = 'tickets', catchUp: catch_up = false } = end;
  const status = end.status ?? (failure ? ('failed' as const) : ('delivered' as const));
  const failure_message = failure && (end.message ?? 'Acme answered 401: check the channel’s authorization');
  const pages = end.pages ?? (failure || end.status ? 0 : 1);
  const id = `delivery/${channel}/${type}/${randomUUID()}`;
  const window = { run: 1, trigger: 'schedule', from: 0, to: 9, workflow_run_id: 'r' };
  await openDeliveryReport(store, { _id: id, channel, entity_type: type, catch_up, ...window }, 30);
  await closeDeliveryReport(store, id, { status, failure, failure_message }, 30);
  const outcome = {
    channel,
    entity_type: type,
    catch_up,
    failure,
    status,
    failure_message,
    totals: { pages },
  };
  return (now: Date, on = store) => judgeOutcome(on, id, outcome, now);
}

/** @returns how many notices there are to send */
export async function endDelivery(store: Store, end: End, now: Date): Promise<number> {
  const judge = await closeReport(store, end);
  return (await judge(now)).notices;
}
