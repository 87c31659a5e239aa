import { deriveKey, seal, unseal } from './seal';
import type { Store } from '../store';
import { isFirst } from '../unavailable';

/** Signs alerts where GDX_ALERT_SECRET is not set; it survives every rotation of keys. */
interface StoredAlertSecret {
  _id: 'alerts';
  /** For gdx, which shows it. */
  sealed: Buffer;
  /** For the worker, which signs. */
  to_worker: Buffer;
}

const OWNER = 'key/alerts';

const keys = (store: Store) => store.db.collection<StoredAlertSecret>('keys');

/** Creates the secret, unless the database has it already; by a process that has the secret key. */
export async function ensureAlertSecret(store: Store): Promise<void> {
  if ((await keys(store).countDocuments({ _id: 'alerts' }, { limit: 1 })) === 1) return;
  const secret = `whsec_${deriveKey(store.hashKey, 'alerts').toString('base64')}`;
  const to_worker = await store.customerSecrets.seal(OWNER, secret);
  // Another process may be first.
  await isFirst(keys(store).insertOne({ _id: 'alerts', sealed: seal(store, OWNER, secret), to_worker }));
}

/** @throws while no API, nor `gdx migrate`, has prepared the database */
export async function readAlertSecret(store: Store): Promise<string> {
  const kept = await keys(store).findOne({ _id: 'alerts' });
  if (!kept) throw new Error('the secret of alerts is not there yet: `gdx migrate` or the API makes it');
  if (store.secretKey) return unseal(store, OWNER, kept.sealed);
  return store.customerSecrets.unseal(OWNER, kept.to_worker);
}

/** @throws CustomerKeyMissing when this process has another private key than the database */
export async function requireOpens(store: Store): Promise<void> {
  const kept = await keys(store).findOne({ _id: 'alerts' });
  if (kept) await store.customerSecrets.unseal(OWNER, kept.to_worker);
}
