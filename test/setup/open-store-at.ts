import { DEVELOPMENT_CUSTOMER_KEYS } from '../../domain/settings/key-settings';
import { closeStore, connectStore } from '../../store/connect';
import { prepareStore } from '../../store/schema/prepare-store';
import type { Store } from '../../store/store';
import { closeAtEnd, type Lifetime } from './close-at-end';

// What the processes use outside production.
export const SECRET_KEY = Buffer.from('gdx development key, not secret!');

// A stand-in on a loaded machine may answer the driver's own checks late; after 5 s, as in production, whatever a test has
// asked for would be interrupted.
const CHECKED_MS = 60_000;

export interface StoreOptions {
  /** It notices within seconds that MongoDB is frozen. */
  asInProduction?: boolean;
  /** Its client tells every command, for `countCommands`. */
  monitored?: boolean;
  /** Other keys than those of processes outside production. */
  keys?: Partial<Pick<Parameters<typeof connectStore>[0], 'secretKey' | 'oldSecretKeys' | 'customerKeys'>>;
  /** With what it closes. */
  of?: Lifetime;
}

/** A prepared store on the database at `uri`. */
export async function openStoreAt(uri: string, options: StoreOptions = {}): Promise<Store> {
  const store = await connectStoreAt(uri, options);
  await prepareStore(store);
  return store;
}

/** A store on a database that is prepared already. */
export async function connectStoreAt(
  uri: string,
  { asInProduction = false, monitored = false, keys = {}, of = 'test' }: StoreOptions = {},
): Promise<Store> {
  const store = await connectStore({
    uri,
    secretKey: SECRET_KEY,
    customerKeys: DEVELOPMENT_CUSTOMER_KEYS,
    appName: 'gdx-test',
    ...keys,
  });
  // before it connects
  Object.assign(store.client.options, {
    monitorCommands: monitored,
    ...(!asInProduction && { connectTimeoutMS: CHECKED_MS }),
  });
  closeAtEnd(() => closeStore(store), of);
  return store;
}
