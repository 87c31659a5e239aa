import type { Store } from '../store/store';
import { mongodbFailures, temporalFailures } from './instruments';

// The events with which the driver reports failures. Its reports of every command would decode each answer twice.
const KINDS = {
  connectionPoolCleared: 'pool_cleared',
  connectionCheckOutFailed: 'check_out',
  serverHeartbeatFailed: 'heartbeat',
} as const;

/** Counts the failures of MongoDB from now on. */
export function countMongodbFailures({ client }: Pick<Store, 'client'>): void {
  for (const event of Object.keys(KINDS) as (keyof typeof KINDS)[])
    client.on(event, () => mongodbFailures.inc({ kind: KINDS[event] }));
}

/** Counts a failed request to Temporal. */
export function countTemporalFailure(): void {
  temporalFailures.inc();
}
