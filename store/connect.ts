import { MongoClient, type Db } from 'mongodb';
import { firstHashKey } from './hash-key';

/** One connection to MongoDB, shared by everything in a process. */
export interface Store {
  client: MongoClient;
  db: Db;
  /** Encrypts stored secrets (design 5). 32 bytes. */
  secretKey: Buffer;
  /** Open what was sealed before the key was exchanged. */
  oldSecretKeys?: Buffer[];
  /** Hashes what must be found again and not be read; `prepareStore` reads the database's own. */
  hashKey: Buffer;
}

/**
 * Opens the store. The path of the URI names the database, `gdx` when it has none.
 * Writes and deciding reads are majority, from the primary (design 5).
 */
export async function connectStore(options: {
  uri: string;
  secretKey: Buffer;
  oldSecretKeys?: Buffer[];
  appName: string;
}): Promise<Store> {
  const client = new MongoClient(options.uri, {
    appName: options.appName,
    writeConcern: { w: 'majority' },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    serverSelectionTimeoutMS: 5_000,
    connectTimeoutMS: 5_000,
    // The last resort: a frozen server is noticed by the driver's own checks after 15 s.
    socketTimeoutMS: 120_000,
    ignoreUndefined: true,
    promoteBuffers: true,
  });
  const named = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(options.uri)?.[1];
  const { secretKey, oldSecretKeys = [] } = options;
  const hashKey = firstHashKey(secretKey);
  return { client, db: client.db(named ?? 'gdx'), secretKey, oldSecretKeys, hashKey };
}

const PING_MS = 2_000;

/** Resolves when MongoDB answers; rejects with what is wrong, within 2 s. */
export async function pingStore(store: Store): Promise<void> {
  await store.db.command({ ping: 1 }, { signal: AbortSignal.timeout(PING_MS) });
}

export async function closeStore(store: Store): Promise<void> {
  await store.client.close();
}
