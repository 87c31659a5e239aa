import { randomBytes } from 'node:crypto';
import { DEVELOPMENT_CUSTOMER_KEYS } from '../../domain/key-settings';
import { closeStore, connectStore } from '../../store/connect';
import type { Store } from '../../store/store';
import { prepareStore } from '../../store/schema/prepare-store';
import { CHECKED_MS, SECRET_KEY } from '../setup/open-store';

/**
 * A prepared store on a new database, of tests one that goes with their run: to drop it may take a stand-in minutes, in
 * which it answers nobody who needs a collection. `monitored`: its client tells every command, for `countCommands`.
 */
export async function openBenchStore(mongodbUri: string, { monitored = false } = {}): Promise<Store> {
  const uri = databaseUri(
    mongodbUri,
    `${process.env.GDX_TEST_RUN ?? 'gdx_bench'}_${randomBytes(4).toString('hex')}`,
  );
  const store = await connectStore({
    uri,
    secretKey: SECRET_KEY,
    customerKeys: DEVELOPMENT_CUSTOMER_KEYS,
    appName: 'gdx-bench',
  });
  // before it connects
  Object.assign(store.client.options, { connectTimeoutMS: CHECKED_MS, monitorCommands: monitored });
  await prepareStore(store);
  return store;
}

export async function dropBenchStore(store: Store): Promise<void> {
  await store.db.dropDatabase();
  await closeStore(store);
}

export function databaseUri(mongodbUri: string, database: string): string {
  const uri = new URL(mongodbUri.replace(/^mongodb:/, 'http:'));
  uri.pathname = `/${database}`;
  return uri.href.replace(/^http:/, 'mongodb:');
}
