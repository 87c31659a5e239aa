import { randomUUID } from 'node:crypto';
import { closeStore } from '../../store/connect';
import { seedCounters } from '../../store/push/counters';
import type { Store } from '../../store/store';
import { openStoreAt } from './open-store-at';

/** The address of a database of its own on the MongoDB that the global setup has started, and whose teardown drops it. */
export function newDatabaseUri(): string {
  const uri = new URL((process.env.MONGODB_URI ?? noParts()).replace(/^mongodb:/, 'http:'));
  uri.pathname = `/${process.env.GDX_TEST_RUN}_${randomUUID().slice(0, 8)}`;
  return uri.href.replace(/^http:/, 'mongodb:');
}

/** A prepared store on a database of its own. */
export const openStore = (uri = newDatabaseUri()): Promise<Store> => openStoreAt(uri);

let own: Store | undefined;
globalThis.afterAll?.(() => own && closeStore(own));

// secantusd-rs refuses a unique value again whose document was deleted.
const FORGETS_DELETED = /^(mongod|secantusd-py)/.test(process.env.GDX_TEST_MONGODB_NAME ?? '');

/** The one store of a test file, empty again: to make another takes half a second of CPU. */
export async function emptyStore(open: () => Promise<Store> = openStore): Promise<Store> {
  if (!own || !FORGETS_DELETED) {
    if (own) await closeStore(own);
    return (own = await open());
  }
  const { db } = own;
  const all = await db.listCollections({}, { nameOnly: true }).toArray();
  const filled = all.filter(({ name }) => name !== 'migrations' && name !== 'keys');
  await Promise.all(filled.map(({ name }) => db.collection(name).deleteMany({})));
  await seedCounters(own);
  return own;
}

function noParts(): never {
  throw new Error('MONGODB_URI is not set: run the tests by `npm test`, whose global setup starts the parts');
}
