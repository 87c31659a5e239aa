import { seedCounters } from '../records/counters';
import { ensureAlertSecret, requireOpens } from '../secrets/alert-secret';
import { refreshHashKeys } from '../secrets/hash-key';
import { ensureLedgerKeys } from '../secrets/ledger-keys';
import type { Store } from '../store';
import { requireCountersAhead } from './counters-ahead';
import { migrateStore } from './migrations/migrate-store';
import { requireCurrentSchema } from './migrations/read-schema';

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

/**
 * Loads the keys that the database keeps, sealed, and creates missing ones. The worker only proves that it has the key
 * that customers' secrets are sealed to.
 * @throws SecretKeyMissing, CustomerKeyMissing when this process has other keys than the database
 */
export async function prepareKeys(store: Store): Promise<void> {
  if (!store.secretKey) return requireOpens(store);
  await refreshHashKeys(store);
  await ensureAlertSecret(store);
  await ensureLedgerKeys(store);
}
