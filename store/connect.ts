import { MongoClient, type Db } from 'mongodb';

/** One connection to MongoDB, shared by everything in a process. */
export interface Store {
  client: MongoClient;
  db: Db;
  /** Encrypts stored secrets (design 5). 32 bytes. */
  secretKey: Buffer;
}

/**
 * Opens the store. The path of the URI names the database, `gdx` when it has none.
 * Writes and deciding reads are majority, from the primary (design 5).
 */
export async function connectStore(options: {
  uri: string;
  secretKey: Buffer;
  appName: string;
}): Promise<Store> {
  const client = new MongoClient(options.uri, {
    appName: options.appName,
    writeConcern: { w: 'majority' },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    serverSelectionTimeoutMS: 5_000,
    connectTimeoutMS: 5_000,
    ignoreUndefined: true,
    promoteBuffers: true,
  });
  const named = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(options.uri)?.[1];
  return { client, db: client.db(named ?? 'gdx'), secretKey: options.secretKey };
}

/** Resolves when MongoDB answers; rejects with what is wrong. */
export async function pingStore(store: Store): Promise<void> {
  await store.db.command({ ping: 1 }, { timeoutMS: 2_000 });
}

export async function closeStore(store: Store): Promise<void> {
  await store.client.close();
}
