import { timeNow } from '../../../domain/time/elapsed';
import { ensureCollections, missingCollections } from '../collections';
import type { Store } from '../../store';
import { type Migration, MIGRATIONS } from './migrations';
import { withMigrationLock } from './migration-lock';
import { applied, pendingMigrations } from './read-schema';

/**
 * Migrates the database to this release, one process at a time. Idempotent.
 * @returns the migrations that were applied
 * @throws StoreMismatch when the database is newer, or another process holds the lock
 */
export async function migrateStore(
  store: Store,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<{ number: number; name: string }[]> {
  const pending = await pendingMigrations(store, migrations);
  if (pending.length === 0 && (await missingCollections(store)).length === 0) return [];
  return withMigrationLock(store, async (requireLock) => {
    const done = [];
    // Read again: another process may have migrated while this one waited.
    for (const migration of await pendingMigrations(store, migrations)) {
      await requireLock();
      await migration.apply(store);
      const { number, name } = migration;
      await applied(store).updateOne({ _id: number }, { $set: { name, at: timeNow() } }, { upsert: true });
      done.push({ number, name });
    }
    if ((await missingCollections(store)).length > 0) await ensureCollections(store);
    return done;
  });
}
