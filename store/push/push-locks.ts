import { E_TIMEOUT, Mutex, withTimeout } from 'async-mutex';
import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import { deadlineIn } from '../transact';
import { WriteTimeout } from '../unavailable';

const locks = Object.fromEntries(ENTITY_TYPES.map((type) => [type, new Mutex()])) as Record<
  EntityType,
  Mutex
>;

/**
 * Serializes the pushes of this process by entity type, so that write conflicts come only from other processes
 * (docs/architecture.md#commit-order, rule 1). Locks are taken in a fixed order, so two pushes cannot deadlock.
 * @returns a function that releases all locks
 * @throws WriteTimeout when a lock is not free within `timeoutMs`
 */
export async function acquirePushLocks(types: EntityType[], timeoutMs: number): Promise<() => void> {
  const deadline = deadlineIn(timeoutMs);
  const held: (() => void)[] = [];
  const releaseAll = () => held.forEach((release) => release());
  for (const type of types) {
    try {
      held.push(await withTimeout(locks[type], Math.max(1, deadline - performance.now())).acquire());
    } catch (error) {
      releaseAll();
      if (error === E_TIMEOUT) throw new WriteTimeout(`no lock on ${type} within ${timeoutMs} ms`);
      throw error;
    }
  }
  return releaseAll;
}
