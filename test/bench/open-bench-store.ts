import { randomBytes } from 'node:crypto';
import type { Store } from '../../store/store';
import { openStoreAt } from '../setup/open-store-at';

/**
 * A prepared store on a new database, of tests one that goes with their run: to drop it may take a stand-in minutes, in
 * which it answers nobody who needs a collection. `monitored`: its client tells every command, for `countCommands`.
 */
export function openBenchStore(mongodbUri: string, { monitored = false } = {}): Promise<Store> {
  const uri = databaseUri(
    mongodbUri,
    `${process.env.GDX_TEST_RUN ?? 'gdx_bench'}_${randomBytes(4).toString('hex')}`,
  );
  return openStoreAt(uri, { monitored });
}

export function databaseUri(mongodbUri: string, database: string): string {
  const uri = new URL(mongodbUri.replace(/^mongodb:/, 'http:'));
  uri.pathname = `/${database}`;
  return uri.href.replace(/^http:/, 'mongodb:');
}
