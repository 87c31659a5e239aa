import { setTimeout as sleep } from 'node:timers/promises';
import { missingCollections } from '../../store/schema/collections';
import type { Store } from '../../store/store';
import { migrateStore } from '../../store/schema/migrations/migrate-store';
import { type Migration, MIGRATIONS } from '../../store/schema/migrations/migrations';
import { withMigrationLock } from '../../store/schema/migrations/migration-lock';
import { planMigration } from '../../store/schema/migrations/read-schema';
import { prepareStore } from '../../store/schema/prepare-store';
import { emptyStore, newDatabaseUri } from '../setup/open-store';
import { slowTest, nightlyTest } from '../setup/cases';
import { connectStoreAt } from '../setup/open-store-at';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

const migrations = ({ db } = store) => db.collection<{ _id: number | string }>('migrations');
afterEach(() => migrations().deleteMany({ _id: { $in: [NEXT, NEXT + 1, NEXT + 2, 'lock'] } }));

/** Stores on a database that is not prepared. */
async function withNewDatabase(use: (...stores: Store[]) => Promise<void>): Promise<void> {
  const uri = newDatabaseUri();
  await use(...(await Promise.all([1, 2, 3, 4].map(() => connectStoreAt(uri)))));
}

const KNOWN = MIGRATIONS.map(({ number }) => number);
const NEXT = KNOWN.length + 1;

const later = (number: number, apply: () => Promise<void>): Migration => ({
  number,
  name: 'a later one',
  plan: () => Promise.resolve([`change ${number} channels`]),
  apply,
});
const next = (apply: () => Promise<void>) => [...MIGRATIONS, later(NEXT, apply)];
const numbers = async (of = store) =>
  (await migrations(of).find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);

test('migrations are numbered from 1 without gaps', () => {
  expect(MIGRATIONS.map(({ number }) => number)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});

slowTest(
  'production does not start on an empty database, a dry run changes nothing, migrate makes it fit',
  () =>
    withNewDatabase(async (empty) => {
      const production = () => prepareStore(empty, { production: true });
      await expect(production()).rejects.toMatchObject({
        name: 'StoreMismatch',
        message: expect.stringMatching(/lacks migration 1, .*; run `gdx migrate`$/),
      });
      const [first] = await planMigration(empty);
      expect(first).toMatchObject({ number: 1 });
      expect(first?.steps).toEqual(
        expect.arrayContaining(['collection markers', 'index position of tickets']),
      );
      expect(await empty.db.listCollections().toArray()).toEqual([]);

      expect((await migrateStore(empty)).map(({ number }) => number)).toEqual(KNOWN);
      await production();
      expect(await planMigration(empty)).toEqual([]);
      expect(await migrateStore(empty)).toEqual([]);
      expect(await numbers(empty)).toEqual(KNOWN);
    }),
);

slowTest('an index that a release adds is missed by production and made by migrate', async () => {
  await store.db.collection('tickets').dropIndex('position');
  await expect(prepareStore(store, { production: true })).rejects.toThrow(
    'it lacks index position of tickets; run `gdx migrate`',
  );
  expect(await planMigration(store)).toMatchObject([{ number: 0, steps: ['index position of tickets'] }]);
  await migrateStore(store);
  expect(await missingCollections(store)).toEqual([]);
});

slowTest('an index that keeps for longer than this release is changed by migrate', async () => {
  const receipts = store.db.collection('push_receipts');
  const keptSeconds = async () =>
    (await receipts.indexes()).find(({ name }) => name === 'expiry')?.expireAfterSeconds;
  expect(await keptSeconds()).toBe(72 * 3600);
  await receipts.dropIndex('expiry');
  await receipts.createIndex({ at: 1 }, { name: 'expiry', expireAfterSeconds: 30 * 24 * 3600 });
  await expect(prepareStore(store, { production: true })).rejects.toThrow(
    'it lacks index expiry of push_receipts; run `gdx migrate`',
  );
  await prepareStore(store); // in development it is changed at once
  expect([await keptSeconds(), await missingCollections(store)]).toEqual([72 * 3600, []]);
});

test('what is kept for a time only is removed by the database', async () => {
  const [hour, day] = [3_600, 24 * 3_600];
  const kept: Record<string, number> = {};
  for (const collection of await store.db.collections())
    for (const { expireAfterSeconds } of await collection.indexes())
      if (expireAfterSeconds !== undefined) kept[collection.collectionName] = expireAfterSeconds;
  // 0: each document says until when.
  expect(kept).toEqual({
    ...{ alerts: 0, attempt_counts: 0, code_activity: 0, customer_notices: 0, customer_sessions: 0 },
    ...{ deliveries: 0, operator_actions: 0, operator_sessions: 0, sessions: 0, sign_in_codes: 0 },
    ...{ process_clocks: 180, push_receipts: 72 * hour, token_uses: 400 * day, waiting_pages: hour },
  });
});

test('the lock of who migrates is not taken for a migration: whoever starts meanwhile finds what is missing', () =>
  withNewDatabase(async (empty) => {
    await migrations(empty).insertOne({ _id: 'lock', holder: 'other', beat: 1 } as { _id: string });
    expect((await planMigration(empty))[0]).toMatchObject({ number: 1 });
  }));

slowTest('each migration is planned with its steps, and applied once in order', async () => {
  const done: number[] = [];
  const one = (number: number) => later(number, () => Promise.resolve(void done.push(number)));
  const three = [...MIGRATIONS, ...[NEXT, NEXT + 1, NEXT + 2].map(one)];
  await migrateStore(store, three.slice(0, NEXT));
  const planned = await planMigration(store, three);
  expect(planned).toEqual(
    [NEXT + 1, NEXT + 2].map((number) => ({
      ...{ number, name: 'a later one', steps: [`change ${number} channels`] },
    })),
  );
  expect(done).toEqual([NEXT]);
  await migrateStore(store, three);
  expect([done, await planMigration(store, three)]).toEqual([[NEXT, NEXT + 1, NEXT + 2], []]);
});

slowTest('a database that is newer than the release is refused, in development too', async () => {
  const newer = next(() => Promise.resolve());
  expect(await migrateStore(store, newer)).toEqual([{ number: NEXT, name: 'a later one' }]);
  await expect(prepareStore(store)).rejects.toThrow(
    `this database is newer (migration ${NEXT}) than this release (migration ${KNOWN.length})`,
  );
});

test('what failed half way is not recorded, and is done by the next', async () => {
  const failing = next(() => Promise.reject(new Error('power cut')));
  await expect(migrateStore(store, failing)).rejects.toThrow('power cut');
  expect(await numbers()).toEqual(KNOWN);
  let applied = 0;
  const working = next(() => Promise.resolve(void applied++));
  await migrateStore(store, working);
  expect([applied, await numbers()]).toEqual([1, [...KNOWN, NEXT]]);
});

slowTest('four processes at once apply each migration once', () =>
  withNewDatabase(async (...stores) => {
    let applied = 0;
    const slow = next(async () => {
      applied += 1;
      await sleep(300);
    });
    const done = await Promise.all(stores.map((each) => migrateStore(each, slow)));
    expect(applied).toBe(1);
    expect(done.flat().map(({ number }) => number)).toEqual([...KNOWN, NEXT]);
  }),
);

const QUICK = { beatMs: 50, expiryMs: 2_000, timeoutMs: 10_000 };

nightlyTest('the lock of a process that died is taken over, that of one that lives is not', async () => {
  await migrations().insertOne({ _id: 'lock', holder: 'dead', beat: 7 } as { _id: string });
  let held = 0;
  let long: Promise<unknown>;
  await new Promise<void>((begun) => {
    const hold = async () => {
      held += 1;
      begun();
      await sleep(5_000);
      held -= 1;
    };
    long = withMigrationLock(store, hold, QUICK);
  });
  await withMigrationLock(store, () => Promise.resolve(expect(held).toBe(0)), {
    ...QUICK,
    timeoutMs: 60_000,
  });
  await long!;
  const impatient = { ...QUICK, timeoutMs: 400 };
  await withMigrationLock(store, async () => {
    await expect(withMigrationLock(store, () => Promise.resolve(), impatient)).rejects.toThrow(
      'another process is migrating',
    );
  });
});

test('who has lost the lock stops before its next migration, and leaves the lock to who has it', async () => {
  const robbed = withMigrationLock(
    store,
    async (requireLock) => {
      await requireLock();
      await migrations().updateOne({ _id: 'lock' }, { $set: { holder: 'other' } });
      await requireLock();
    },
    QUICK,
  );
  await expect(robbed).rejects.toThrow('another process is migrating');
  expect(await migrations().findOne({ _id: 'lock' })).toMatchObject({ holder: 'other' });
});
