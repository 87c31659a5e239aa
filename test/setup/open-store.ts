import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { seedCounters } from '../../store/records/counters';
import { prepareKeys } from '../../store/schema/prepare-store';
import type { Store } from '../../store/store';
import { databaseUri } from '../bench/open-bench-store';
import { connectStoreAt, openStoreAt, type StoreOptions } from './open-store-at';

// secantusd-rs refuses a unique value again whose document was deleted.
const FORGETS_DELETED = /^(mongod|secantusd-py)/.test(process.env.GDX_TEST_MONGODB_NAME ?? '');

/** Which prepared databases earlier test files of this process have left on this MongoDB: each is an empty file of its name. */
const folderOfLeft = () => {
  const server = encodeURIComponent(process.env.MONGODB_URI ?? '');
  return path.join(process.env.GDX_TEST_DIR ?? '', `databases-left-in-${process.pid}`, server);
};

/** The address of a database of its own on the MongoDB that the global setup has started, and whose teardown drops it. */
export const newDatabaseUri = () => uriOf(`${process.env.GDX_TEST_RUN}_${randomUUID().slice(0, 8)}`);

/**
 * A prepared store with nothing in it. Without `uri` it is on a database that an earlier test file has left, where there is
 * one: to prepare another costs half a second of CPU. When it is closed, nothing here can write to its database any more,
 * and the next file takes it. So whoever hands it to a process, or changes the schema, gives a `newDatabaseUri`.
 */
export async function openStore(uri?: string, options: StoreOptions = {}): Promise<Store> {
  if (uri !== undefined || !FORGETS_DELETED) return openStoreAt(uri ?? newDatabaseUri(), options);
  const left = takeLeft();
  const store = await (left ? connectStoreAt(uriOf(left), options) : openStoreAt(newDatabaseUri(), options));
  if (left) {
    await empty(store, await namesOf(store));
    await store.db.collection('keys').deleteMany({});
    await prepareKeys(store);
  }
  const folder = folderOfLeft();
  store.client.once('topologyClosed', () => writeFileSync(path.join(folder, store.db.databaseName), ''));
  return store;
}

let own: Store | undefined;
/** The collections of it that may hold something: those that its test has written to, or `ALL`. */
const used = new Set<string>();
const ALL = '*';

/** The one store of a test file, empty again. `monitored`: its client tells every command, for `countCommands`. */
export async function emptyStore(options: { monitored?: boolean } = {}): Promise<Store> {
  if (own && FORGETS_DELETED) {
    await empty(own, used.has(ALL) ? await namesOf(own) : used);
  } else {
    own = noteUse(await openStore(undefined, { ...options, of: 'file' }));
  }
  used.clear();
  return own;
}

/** The address of a store's database, for other connections. */
export function databaseUriOf({ db }: Store): string {
  if (db === own?.db) used.add(ALL);
  return uriOf(db.databaseName);
}

function noteUse(store: Store): Store {
  const { db } = store;
  const collection = db.collection.bind(db);
  db.collection = (name, ...rest) =>
    new Proxy(collection(name, ...rest), {
      get: (target, key) => {
        if (!READS.has(key)) used.add(name);
        const member: unknown = Reflect.get(target, key, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  const command = db.command.bind(db);
  db.command = (given, ...rest) => {
    const [name, on] = Object.entries(given)[0]!;
    if (typeof on === 'string' && !READS.has(name)) used.add(on);
    return command(given, ...rest);
  };
  return store;
}
const READS = new Set<PropertyKey>(['find', 'findOne', 'aggregate', 'countDocuments', 'distinct', 'indexes']);

const namesOf = async ({ db }: Store) =>
  (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);

/** The keys stay, as the process knows them. */
async function empty(store: Store, collections: Iterable<string>): Promise<void> {
  const filled = [...collections].filter((name) => !['migrations', 'keys'].includes(name));
  await Promise.all(filled.map((name) => store.db.collection(name).deleteMany({})));
  if (filled.includes('counters')) await seedCounters(store);
}

function takeLeft(): string | undefined {
  const folder = folderOfLeft();
  mkdirSync(folder, { recursive: true });
  const [name] = readdirSync(folder);
  if (name) rmSync(path.join(folder, name));
  return name;
}

function uriOf(database: string): string {
  return databaseUri(process.env.MONGODB_URI ?? noParts(), database);
}

function noParts(): never {
  throw new Error('MONGODB_URI is not set: run the tests by `npm test`, whose global setup starts the parts');
}
