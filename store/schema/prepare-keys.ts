import { refreshHashKeys } from '../access/hash-key';
import { ensureAlertSecret, requireOpens } from '../feed/alert-secret';
import { ensureLedgerKeys } from '../sharing/ledger-keys';
import type { Store } from '../store';

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
