import type { Store } from '../store';
import { seedCounters } from '../push/counters';
import { prepareKeys } from './prepare-keys';
import { migrateStore } from './migrations/migrate-store';
import { requireCurrentSchema } from './migrations/require-current-schema';
import { requireCountersAhead } from '../push/require-counters-ahead';

/**
 * Called by every process at start: the database must have this release's schema, and its counters must be above
 * every marker. In development the schema is migrated; in production that is a separate step, `gdx migrate`.
 * @throws StoreMismatch, which says what to do
 */
export async function prepareStore(store: Store, { production } = { production: false }): Promise<void> {
  if (production) await requireCurrentSchema(store);
  else await migrateStore(store);
  await requireCountersAhead(store);
  await prepareKeys(store);
  await seedCounters(store); // a lost counter starts at 0 only where no position is known
}
