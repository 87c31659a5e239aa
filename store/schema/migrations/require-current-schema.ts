import type { Store } from '../../store';
import { StoreMismatch } from '../../store-mismatch';
import { planMigration } from './read-schema';

/** @throws StoreMismatch when the database is newer than this release, or behind it */
export async function requireCurrentSchema(store: Store): Promise<void> {
  const [first] = await planMigration(store);
  if (!first) return;
  const lacks =
    first.number === 0 ? first.steps.slice(0, 3).join(', ') : `migration ${first.number}, ${first.name}`;
  throw new StoreMismatch(`this database is behind this release: it lacks ${lacks}`, 'run `gdx migrate`');
}
