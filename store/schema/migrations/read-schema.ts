import { missingCollections } from '../collections';
import type { Store } from '../../store';
import { StoreMismatch } from '../../store-mismatch';
import { type Migration, MIGRATIONS } from './migrations';

/** One migration that has been applied. */
interface Applied {
  _id: number;
  name: string;
  at: Date;
}

export const applied = (store: Store) => store.db.collection<Applied>('migrations');

/** The number of the last migration of this database; 0 for an empty one. */
async function schemaVersion(store: Store): Promise<number> {
  const [last] = await applied(store)
    .find({ _id: { $gt: 0 } }) // the lock is in the same collection
    .sort({ _id: -1 })
    .limit(1)
    .toArray();
  return last?._id ?? 0;
}

/**
 * The migrations that this database lacks.
 * @throws StoreMismatch when it has one that this release does not know
 */
export async function pendingMigrations(
  store: Store,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Migration[]> {
  const version = await schemaVersion(store);
  const known = migrations.length;
  if (version > known)
    throw new StoreMismatch(
      `this database is newer (migration ${version}) than this release (migration ${known})`,
      'start the newer release, or restore the backup from before the upgrade (docs/backup.md)',
    );
  return migrations.filter(({ number }) => number > version);
}

/** What a migration would do; number 0 stands for missing collections and indexes alone. */
export type Planned = Pick<Migration, 'number' | 'name'> & { steps: string[] };

/** What `gdx migrate` would do, by migration. */
export async function planMigration(
  store: Store,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Planned[]> {
  const plan: Planned[] = [];
  for (const { number, name, plan: planOne } of await pendingMigrations(store, migrations)) {
    plan.push({ number, name, steps: await planOne(store) });
  }
  const steps = await missingCollections(store);
  if (plan.length === 0 && steps.length > 0) plan.push({ number: 0, name: 'collections and indexes', steps });
  return plan;
}

/** @throws StoreMismatch when the database is newer than this release, or behind it */
export async function requireCurrentSchema(store: Store): Promise<void> {
  const [first] = await planMigration(store);
  if (!first) return;
  const lacks =
    first.number === 0 ? first.steps.slice(0, 3).join(', ') : `migration ${first.number}, ${first.name}`;
  throw new StoreMismatch(`this database is behind this release: it lacks ${lacks}`, 'run `gdx migrate`');
}
