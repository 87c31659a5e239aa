import { readBuckets } from '../../domain/digest';
import type { EntityType } from '../../domain/entity-types';
import { MessageCollector } from '../../domain/validation-messages';
import type { Channel } from '../../store/feed/channels';
import { entityTypeOf } from '../entity-type-of';
import { invalid } from '../http-error';

export interface DigestQuery {
  entityType: EntityType;
  /** Whose records are listed; without any, all are counted and hashed. */
  buckets: Set<string> | undefined;
}

/** @throws HttpError VALIDATION_ERROR with everything that is wrong at once */
export function digestQuery(channel: Channel, given: Readonly<Record<string, unknown>>): DigestQuery {
  const found = new MessageCollector();
  const entityType = entityTypeOf(channel, given['entity_type'], found);
  const { bucket } = given;
  const buckets = typeof bucket === 'string' ? readBuckets(bucket) : undefined;
  if (bucket !== undefined && !buckets)
    found.add('bucket', 'must be 1 to 256 buckets from 00 to ff, such as 3f or 3f,a0');
  if (!found.empty || !entityType) throw invalid(found.messages());
  return { entityType, buckets };
}
