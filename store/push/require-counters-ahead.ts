import type { Store } from '../store';
import { isBehind, knownPositions } from '../feed/known-positions';
import { StoreMismatch } from '../schema/store-mismatch';

/**
 * A database restored from backups of different moments must not take pushes: a record below a marker is never
 * delivered.
 * @throws StoreMismatch
 */
export async function requireCountersAhead(store: Store): Promise<void> {
  const behind = (await knownPositions(store)).filter(isBehind);
  if (behind.length === 0) return;
  const list = behind.map(
    ({ entity_type, counter, highest }) => `${entity_type} at ${counter}, but ${highest} is known`,
  );
  throw new StoreMismatch(
    `counters are behind markers or records, as after restoring part of a backup (${list.join('; ')})`,
    'run `gdx repair counters` and follow docs/backup.md',
  );
}
