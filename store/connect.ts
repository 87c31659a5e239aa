import { MongoClient } from 'mongodb';
import { goBy } from '../domain/time/elapsed';
import type { CustomerKeys } from '../domain/settings/key-settings';
import { createCustomerSecrets } from './secrets/customer-secrets';
import { firstHashKey } from './secrets/hash-key';
import { SecretKeyMissing } from './secrets/seal';
import { DatabaseClock } from './database-clock';
import { endLostWrites } from './end-lost-writes';
import type { Store } from './store';

/**
 * Opens the store. The path of the URI names the database, `gdx` when it has none.
 * Writes and deciding reads are majority, from the primary (docs/architecture.md#in-mongodb).
 */
export async function connectStore(options: {
  uri: string;
  secretKey: Buffer | undefined;
  oldSecretKeys?: Buffer[];
  customerKeys: CustomerKeys;
  appName: string;
  production?: boolean;
  /** For a process that builds indexes: one over many records takes longer than any answer. */
  patient?: boolean;
}): Promise<Store> {
  endLostWrites();
  const client = new MongoClient(options.uri, {
    appName: options.appName,
    writeConcern: { w: 'majority' },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    serverSelectionTimeoutMS: 5_000,
    connectTimeoutMS: 5_000,
    // The last resort: the driver's own checks notice a frozen server after 15 s.
    socketTimeoutMS: options.patient ? 0 : 120_000,
    ignoreUndefined: true,
    promoteBuffers: true,
  });
  const databaseClock = new DatabaseClock();
  goBy(() => databaseClock.now());
  client.on('serverHeartbeatSucceeded', ({ reply, awaited, duration }) => {
    if (reply['isWritablePrimary'])
      databaseClock.hear(reply['localTime'] as Date | undefined, awaited ? 0 : duration);
  });
  const named = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(options.uri)?.[1];
  const { secretKey, oldSecretKeys = [], customerKeys, production = false } = options;
  const store: Store = {
    client,
    db: client.db(named ?? 'gdx'),
    databaseClock,
    production,
    secretKey,
    oldSecretKeys,
    customerSecrets: createCustomerSecrets(customerKeys),
    hashKeys: secretKey && { current: firstHashKey(secretKey), previous: undefined },
    get hashKey() {
      if (!store.hashKeys) throw new SecretKeyMissing('the hashes', 'GDX_SECRET_KEY');
      return store.hashKeys.current;
    },
  };
  return store;
}

const PING_MS = 2_000;

/** Resolves when MongoDB answers; rejects with what is wrong, within 2 s. */
export async function pingStore(store: Store): Promise<void> {
  await store.db.command({ ping: 1 }, { signal: AbortSignal.timeout(PING_MS) });
}

export async function closeStore(store: Store): Promise<void> {
  await store.client.close();
}
