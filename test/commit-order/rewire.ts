import type { Collection, Db, Document, UnorderedBulkOperation } from 'mongodb';
import type { Store } from '../../store/store';

/** One call of the code under test to a collection, or a command to it. `run` makes it, with other arguments if given. */
export interface Call {
  collection: string;
  method: string;
  args: Document[];
  run: (args?: Document[]) => Promise<unknown>;
}

export type Around = (call: Call) => Promise<unknown>;

/**
 * The same store with every call to a collection going through `around`: to hold it, to look at it, or to leave out
 * one condition of it. So the code under test is the real code, and a mutant differs from it in one argument.
 */
export function rewire(store: Store, around: Around): Store {
  const db = new Proxy(store.db, {
    get: (target, key) => {
      if (key === 'collection') return (name: string) => wired(target.collection(name), around);
      if (key === 'command') return (command: Document) => heldCommand(target, command, around);
      return Reflect.get(target, key) as unknown;
    },
  });
  return { ...store, db };
}

const heldCommand = (db: Db, command: Document, around: Around) =>
  around({
    collection: Object.values(command)[0] as string,
    method: 'command',
    args: [command],
    run: ([given] = [command]) => db.command(given!),
  });

function wired(collection: Collection, around: Around): Collection {
  return new Proxy(collection, {
    get(target, key) {
      const method = Reflect.get(target, key) as unknown;
      if (typeof method !== 'function' || typeof key !== 'string') return method;
      if (key === 'find' || key === 'aggregate')
        return (...args: Document[]) => heldCursor(target, key, args, around);
      if (key === 'initializeUnorderedBulkOp') return () => heldWrites(target, around);
      return (...given: Document[]) =>
        around({
          collection: target.collectionName,
          method: key,
          args: given,
          run: (args = given) => method.apply(target, args) as Promise<unknown>,
        });
    },
  });
}

/** Writes that are collected first, so that `around` sees them as one call. */
function heldWrites(collection: Collection, around: Around): UnorderedBulkOperation {
  const writes = collection.initializeUnorderedBulkOp();
  const execute = (...given: Document[]) =>
    around({
      collection: collection.collectionName,
      method: 'bulkWrite',
      args: given,
      run: (args = given) => writes.execute(...args),
    });
  return new Proxy(writes, {
    get(target, key) {
      if (key === 'execute') return execute;
      const value = Reflect.get(target, key) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** A cursor that asks the server only when it is read, so that `around` sees a query as one call. */
function heldCursor(
  collection: Collection,
  method: 'find' | 'aggregate',
  given: Document[],
  around: Around,
): Document {
  const chain: ((cursor: Document) => Document)[] = [];
  const open = (args: Document[]) => (collection[method] as (...args: Document[]) => Document)(...args);
  const run = (args = given) =>
    chain.reduce((cursor, link) => link(cursor), open(args))['toArray']() as Promise<unknown>;
  let buffer: Promise<unknown[]> | undefined;
  let buffered: unknown[] = [];
  const cursor: Document = {
    toArray: () => around({ collection: collection.collectionName, method, args: given, run }),
    async hasNext() {
      buffer ??= cursor['toArray']() as Promise<unknown[]>;
      buffered = await buffer;
      return buffered.length > 0;
    },
    readBufferedDocuments: () => buffered.splice(0),
    close: async () => undefined,
    async *[Symbol.asyncIterator]() {
      yield* await cursor['toArray']();
    },
  };
  for (const name of ['sort', 'limit', 'batchSize', 'map']) {
    cursor[name] = (...args: unknown[]) => {
      chain.push((inner) => inner[name](...args));
      return cursor;
    };
  }
  return cursor;
}
