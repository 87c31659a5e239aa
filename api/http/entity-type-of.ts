import { isEntityType, type EntityType } from '../../domain/records/entity-types';
import type { MessageCollector } from '../../domain/records/validation-messages';
import type { Channel } from '../../store/channels/channels';

/**
 * Reads an entity type.
 * @returns undefined, with a message in `found`, unless the channel carries this type
 */
export function entityTypeOf(
  { entity_types }: Channel,
  given: unknown,
  found: MessageCollector,
): EntityType | undefined {
  if (!isEntityType(given)) found.add('entity_type', 'must be accounts, contracts, tickets or settlements');
  else if (entity_types.includes(given)) return given;
  else found.add('entity_type', `this channel carries only ${entity_types.join(', ')}`);
  return undefined;
}
