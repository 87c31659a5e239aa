import type { Store } from './connect';
import { seedCounters } from './counters';
import { loadHashKey } from './hash-key';
import { migrate } from './migrations/migrate';
import { requireCurrentSchema } from './migrations/require-current-schema';
import { requireCountersAhead } from './require-counters-ahead';

/**
 * What every process does at start: the database must be the one that this release knows, with its counters above every
 * marker. In development it is brought up to date; in production that is a deed of its own, `gdx migrate`.
 * @throws StoreMismatch, which says what to do
 */
export async function prepareStore(store: Store, { production } = { production: false }): Promise<void> {
  if (production) await requireCurrentSchema(store);
  else await migrate(store);
  await requireCountersAhead(store);
  store.hashKey = await loadHashKey(store);
  await seedCounters(store); // one that is gone begins at 0 only where nothing is known of it
}
