import type { EntityType } from '../../domain/entity-types';
import { readPastInstant } from '../../domain/past-instant';
import { MessageCollector } from '../../domain/validation-messages';
import type { Channel } from '../../store/channels/channels';
import { readDryRun } from '../http/dry-run';
import { entityTypeOf } from '../http/entity-type-of';
import { invalid } from '../http/http-error';

export interface ResetRequest {
  entityType: EntityType;
  timestamp: Date;
  dryRun: boolean;
}

/**
 * Checks the address, query and body of a reset (docs/contract.md C15).
 * @throws HttpError VALIDATION_ERROR with everything that is wrong at once
 */
export function resetRequest(
  channel: Channel,
  given: { entityType: unknown; dryRun: unknown; body: unknown },
): ResetRequest {
  const found = new MessageCollector();
  const entityType = entityTypeOf(channel, given.entityType, found);
  const timestamp = timestampOf(given.body, found);
  const dryRun = readDryRun(given.dryRun, found);
  if (!found.empty || !entityType || !timestamp) throw invalid(found.messages());
  return { entityType, timestamp, dryRun };
}

function timestampOf(body: unknown, found: MessageCollector): Date | undefined {
  const given =
    typeof body === 'object' && body !== null ? (body as { timestamp?: unknown }).timestamp : undefined;
  const read = given === undefined || given === null ? 'is required' : readPastInstant(given, Date.now());
  if (typeof read !== 'string') return read;
  found.add('timestamp', read);
  return undefined;
}
