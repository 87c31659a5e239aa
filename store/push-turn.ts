import { E_TIMEOUT, Mutex, withTimeout } from 'async-mutex';
import { ENTITY_TYPES, type EntityType } from '../domain/entity-types';
import { TurnTimeout } from './unavailable';

const lines = Object.fromEntries(ENTITY_TYPES.map((type) => [type, new Mutex()])) as Record<
  EntityType,
  Mutex
>;

/**
 * Keeps the pushes of this process in line, by entity type, so that write conflicts come only from other
 * processes (commit-order 1). Lines are joined in the fixed order, so two pushes cannot wait for each other.
 * @returns the function that leaves all lines again
 * @throws TurnTimeout when the turn does not come within `timeoutMs`
 */
export async function waitForTurn(types: EntityType[], timeoutMs: number): Promise<() => void> {
  const deadline = Date.now() + timeoutMs;
  const joined: (() => void)[] = [];
  const leave = () => joined.forEach((release) => release());
  for (const type of types) {
    try {
      joined.push(await withTimeout(lines[type], Math.max(1, deadline - Date.now())).acquire());
    } catch (error) {
      leave();
      if (error === E_TIMEOUT) throw new TurnTimeout(`no turn for ${type} within ${timeoutMs} ms`);
      throw error;
    }
  }
  return leave;
}
