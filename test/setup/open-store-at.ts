import { DEVELOPMENT_CUSTOMER_KEYS } from '../../domain/key-settings';
import { connectStore } from '../../store/connect';
import { prepareStore } from '../../store/schema/prepare-store';
import type { Store } from '../../store/store';

// What the processes use outside production.
export const SECRET_KEY = Buffer.from('gdx development key, not secret!');

// A stand-in on a loaded machine may answer the driver's own checks late; after 5 s, as in production, whatever a test has
// asked for would be interrupted.
const CHECKED_MS = 60_000;

/**
 * A prepared store on the database at `uri`. `asInProduction`: it notices within seconds that MongoDB is frozen.
 * `monitored`: its client tells every command, for `countCommands`.
 */
export async function openStoreAt(
  uri: string,
  { asInProduction = false, monitored = false } = {},
): Promise<Store> {
  const store = await connectStore({
    uri,
    secretKey: SECRET_KEY,
    customerKeys: DEVELOPMENT_CUSTOMER_KEYS,
    appName: 'gdx-test',
  });
  // before it connects
  Object.assign(store.client.options, {
    monitorCommands: monitored,
    ...(!asInProduction && { connectTimeoutMS: CHECKED_MS }),
  });
  await prepareStore(store);
  return store;
}
