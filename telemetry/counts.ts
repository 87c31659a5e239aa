import type { PageFailure } from '../domain/deliveries/classify-answer';
import type { CodeStatus } from '../domain/deliveries/code-status';
import type { EntityType } from '../domain/records/entity-types';
import type { Wait } from '../domain/deliveries/lateness';
import type { DeliveryStatus } from '../store/deliveries/deliveries';
import type { Store } from '../store/store';
import * as instruments from './instruments';

// What happens in API and worker becomes figures here; instruments.ts says what each figure means.

/** Counts the records of a stored push. */
export function countPushRecords({ changed, unchanged }: { changed: number; unchanged: number }): void {
  instruments.pushedRecords.inc({ status: 'changed' }, changed);
  instruments.pushedRecords.inc({ status: 'unchanged' }, unchanged);
}

/** Counts the pushes that one transaction has stored. */
export function countPushGroup(pushes: number): void {
  instruments.pushGroups.observe(pushes);
}

/** Counts an answered HTTP request. @param path the path in the table of routes; undefined where none matched */
export function countRequest(
  method: string,
  path: string | RegExp | undefined,
  { status, seconds }: { status: number; seconds: number },
): void {
  const route = path === undefined ? 'unmatched' : `${method} ${String(path)}`;
  instruments.requestDuration.observe({ route, status }, seconds);
}

/** Counts the outcome of a farmer's request for a code, or of an entered code. */
export function countSignInCode(status: CodeStatus): void {
  instruments.signInCodes.inc({ status });
}

/** Counts a posted page. @param failure why it was not confirmed; undefined when it was */
export function countPostedPage(failure: PageFailure | undefined, seconds: number): void {
  instruments.attempts.inc({ class: failure ?? 'confirmed' });
  instruments.attemptDuration.observe(seconds);
}

/** Counts changes that a channel's customer has confirmed, and how long they waited (docs/contract.md O26). */
export function countChanges(
  channel: string,
  { waits, records, late }: { waits: Wait[]; records: number; late: number },
): void {
  for (const wait of waits)
    for (let left = wait.records; left > 0; left--) instruments.changeConfirmed.observe(wait.seconds);
  instruments.changesConfirmed.inc({ channel, on_time: 'yes' }, records - late);
  instruments.changesConfirmed.inc({ channel, on_time: 'no' }, late);
}

/** Counts a closed delivery. */
export function countDelivery(outcome: {
  channel: string;
  entity_type: EntityType;
  status: DeliveryStatus;
  totals: { records: number };
  duration_ms: number;
}): void {
  const { channel, entity_type, status, totals, duration_ms } = outcome;
  instruments.deliveriesClosed.inc({ channel, entity_type, status });
  instruments.deliveryRecords.inc({ channel, entity_type }, totals.records);
  instruments.deliveryDuration.observe({ entity_type, status }, duration_ms / 1_000);
}

// The driver's events of failures. If it reported every command, it would decode each answer twice.
const KINDS = {
  connectionPoolCleared: 'pool_cleared',
  connectionCheckOutFailed: 'check_out',
  serverHeartbeatFailed: 'heartbeat',
} as const;

/** Counts the failures of MongoDB from now on. Each kind stands at 0 before its first one, which a rate would not see otherwise. */
export function countMongodbFailures({ client }: Pick<Store, 'client'>): void {
  for (const event of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
    const count = (failures: number) => instruments.mongodbFailures.inc({ kind: KINDS[event] }, failures);
    count(0);
    client.on(event, () => count(1));
  }
}

/** Counts a failed request to Temporal. */
export function countTemporalFailure(): void {
  instruments.temporalFailures.inc();
}
