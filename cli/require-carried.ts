import type { EntityType } from '../domain/entity-types';
import type { Channel } from '../store/feed/channels';
import { CliError } from './cli-error';

/** @throws CliError when the channel does not carry records of the type */
export function requireCarried({ _id: slug, entity_types }: Channel, type: EntityType): void {
  if (!entity_types.includes(type))
    throw new CliError(`channel ${slug} carries no ${type}`, `it carries ${entity_types.join(', ')}`);
}
