import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { readBuckets } from '../../domain/records/digest';
import type { DigestRange } from '../../domain/records/digest-ranges';
import type { EntityType } from '../../domain/records/entity-types';
import { MessageCollector } from '../../domain/records/validation-messages';
import type { Channel } from '../../store/channels/channels';
import { entityType as entityTypeField, isFedId } from '../../control/fields';
import { entityTypeOf } from '../http/entity-type-of';
import { invalid } from '../http/http-error';

interface DigestQuery {
  entityType: EntityType;
  /** The buckets whose records are listed. Without any, all records are counted and hashed. */
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

const MOST_RANGES = 2_000;

const HASH = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256, in hex, of the lines `<id> <updated_at>` and a line feed that you hold in it.',
});

/** The body of a digest's comparison. That the ids rise, and that the last range has none, no schema says. */
export const DIGEST_REQUEST = Type.Object({
  entity_type: entityTypeField(),
  ranges: Type.Array(
    Type.Object({
      up_to: Type.Optional(
        Type.Union([Type.String({ minLength: 1 }), Type.Null()], {
          description:
            'The last id that can be in it. Ids rise by their bytes in UTF-8; the last range has none.',
        }),
      ),
      hash: HASH,
    }),
    { minItems: 1, maxItems: MOST_RANGES, description: 'Each begins where the one before ends.' },
  ),
});

/**
 * Checks the body of a digest's comparison (docs/contract.md C22).
 * @throws HttpError VALIDATION_ERROR with everything that is wrong at once
 */
export function digestRequest(
  channel: Channel,
  body: unknown,
): { entityType: EntityType; ranges: DigestRange[] } {
  const given: { entity_type?: unknown; ranges?: unknown } =
    typeof body === 'object' && body !== null ? body : {};
  const found = new MessageCollector();
  const entityType = entityTypeOf(channel, given.entity_type, found);
  const ranges = rangesOf(given.ranges, found);
  if (!found.empty || !entityType) throw invalid(found.messages());
  return { entityType, ranges };
}

function rangesOf(given: unknown, found: MessageCollector): DigestRange[] {
  if (!Array.isArray(given) || given.length < 1 || given.length > MOST_RANGES) {
    found.add('ranges', `must be a list of 1 to ${MOST_RANGES} ranges`);
    return [];
  }
  const ranges: DigestRange[] = [];
  let before: Buffer | undefined;
  given.forEach((one: { up_to?: unknown; hash?: unknown } | null, index) => {
    const { up_to, hash } = one ?? {};
    const isLast = index === given.length - 1;
    const end = !isLast && isFedId(up_to) ? Buffer.from(up_to) : undefined;
    if (!Value.Check(HASH, hash))
      found.add(`ranges[${index}].hash`, 'must be a SHA-256 in hex, 64 characters');
    else ranges.push({ upTo: end && String(up_to), hash });
    if (isLast ? (up_to ?? null) !== null : !end || (before && end.compare(before) <= 0))
      found.add(
        `ranges[${index}].up_to`,
        isLast ? 'must be null: the last range has no end' : 'must be an id after that of the range before',
      );
    before = end ?? before;
  });
  return ranges;
}
