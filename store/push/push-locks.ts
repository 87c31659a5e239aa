import { Mutex } from 'async-mutex';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';

const locks = Object.fromEntries(ENTITY_TYPES.map((type) => [type, new Mutex()])) as Record<
  EntityType,
  Mutex
>;

/**
 * Serializes the pushes of this process by entity type, so that write conflicts come only from other processes
 * (docs/architecture.md#commit-order, rule 1). Locks are taken in a fixed order, so two pushes cannot deadlock.
 * @returns a function that releases all locks
 */
export async function acquirePushLocks(types: EntityType[]): Promise<() => void> {
  const held: (() => void)[] = [];
  for (const type of types) held.push(await locks[type].acquire());
  return () => held.forEach((release) => release());
}
