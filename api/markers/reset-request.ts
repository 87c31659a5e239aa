import { isEntityType, type EntityType } from '../../domain/entity-types';
import { parseInstant } from '../../domain/instants';
import { MessageCollector } from '../../domain/validation-messages';
import type { Channel } from '../../store/channels';
import { invalid } from '../http-error';

const EARLIEST = Date.UTC(2016, 0, 1);
// A customer's clock may be a little ahead of ours.
const AHEAD_MS = 5 * 60_000;

export interface ResetRequest {
  entityType: EntityType;
  timestamp: Date;
  dryRun: boolean;
}

/**
 * A reset's address, query and body against contract 4.
 * @throws HttpError VALIDATION_ERROR with everything that is wrong at once
 */
export function resetRequest(
  channel: Channel,
  given: { entityType: unknown; dryRun: unknown; body: unknown },
): ResetRequest {
  const found = new MessageCollector();
  const entityType = entityTypeOf(channel, given.entityType, found);
  const timestamp = timestampOf(given.body, found);
  const dryRun = given.dryRun ?? 'false';
  if (dryRun !== 'true' && dryRun !== 'false') found.add('dry_run', 'must be true or false');
  if (!found.empty || !entityType || !timestamp) throw invalid(found.messages());
  return { entityType, timestamp, dryRun: dryRun === 'true' };
}

function entityTypeOf(channel: Channel, given: unknown, found: MessageCollector): EntityType | undefined {
  if (!isEntityType(given)) found.add('entity_type', 'must be accounts, contracts, tickets or settlements');
  else if (channel.entity_types.includes(given)) return given;
  else found.add('entity_type', `this channel carries only ${channel.entity_types.join(', ')}`);
  return undefined;
}

function timestampOf(body: unknown, found: MessageCollector): Date | undefined {
  const given =
    typeof body === 'object' && body !== null ? (body as { timestamp?: unknown }).timestamp : undefined;
  const instant = typeof given === 'string' ? parseInstant(given) : undefined;
  if (given === undefined || given === null) found.add('timestamp', 'is required');
  else if (instant === undefined) found.add('timestamp', 'must be an RFC 3339 date-time with an offset');
  else if (instant < EARLIEST) found.add('timestamp', 'must not be before 2016-01-01T00:00:00Z');
  else if (instant > Date.now() + AHEAD_MS) found.add('timestamp', 'must not be more than 5 minutes ahead');
  else return new Date(instant);
  return undefined;
}
