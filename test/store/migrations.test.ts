import { setTimeout as sleep } from 'node:timers/promises';
import { missingCollections } from '../../store/collections';
import { closeStore, connectStore, type Store } from '../../store/connect';
import { migrate } from '../../store/migrations/migrate';
import { type Migration, MIGRATIONS } from '../../store/migrations/migrations';
import { withMigrationLock } from '../../store/migrations/migration-lock';
import { planMigration } from '../../store/migrations/read-schema';
import { prepareStore } from '../../store/prepare-store';
import { newDatabaseUri, SECRET_KEY } from '../setup/open-store';

let store: Store;
let uri: string;

beforeEach(async () => {
  uri = newDatabaseUri();
  store = await connectStore({ uri, secretKey: SECRET_KEY, appName: 'gdx-test' });
});
afterEach(() => closeStore(store));

const next = (apply: () => Promise<void>): Migration[] => [
  ...MIGRATIONS,
  { number: 2, name: 'a later one', plan: () => Promise.resolve(['change 3 channels']), apply },
];
const numbers = async () =>
  (await store.db.collection('migrations').find().sort({ _id: 1 }).toArray()).map(
    ({ _id }) => _id as unknown,
  );

test('migrations are numbered from 1 without gaps', () => {
  expect(MIGRATIONS.map(({ number }) => number)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});

test('production does not start on an empty database, a dry run changes nothing, migrate makes it fit', async () => {
  const production = () => prepareStore(store, { production: true });
  await expect(production()).rejects.toMatchObject({
    name: 'StoreMismatch',
    message: expect.stringMatching(/lacks migration 1, .*; run `gdx migrate`$/),
  });
  const [first] = await planMigration(store);
  expect(first).toMatchObject({ number: 1 });
  expect(first?.steps).toEqual(expect.arrayContaining(['collection markers', 'index position of tickets']));
  expect(await store.db.listCollections().toArray()).toEqual([]);

  expect(await migrate(store)).toMatchObject([{ number: 1 }]);
  await production();
  expect(await planMigration(store)).toEqual([]);
  expect(await migrate(store)).toEqual([]);
  expect(await numbers()).toEqual([1]);
});

test('an index that a release adds is missed by production and made by migrate', async () => {
  await migrate(store);
  await store.db.collection('tickets').dropIndex('position');
  await expect(prepareStore(store, { production: true })).rejects.toThrow(
    'it lacks index position of tickets; run `gdx migrate`',
  );
  expect(await planMigration(store)).toMatchObject([{ number: 0, steps: ['index position of tickets'] }]);
  await migrate(store);
  expect(await missingCollections(store)).toEqual([]);
});

test('a database that is newer than the release is refused, in development too', async () => {
  await prepareStore(store);
  expect(
    await migrate(
      store,
      next(() => Promise.resolve()),
    ),
  ).toEqual([{ number: 2, name: 'a later one' }]);
  await expect(prepareStore(store)).rejects.toThrow(
    'this database is newer (migration 2) than this release (migration 1)',
  );
});

test('what failed half way is not recorded, and is done by the next', async () => {
  const failing = next(() => Promise.reject(new Error('power cut')));
  await expect(migrate(store, failing)).rejects.toThrow('power cut');
  expect(await numbers()).toEqual([1]);
  let applied = 0;
  await migrate(
    store,
    next(() => Promise.resolve(void applied++)),
  );
  expect([applied, await numbers()]).toEqual([1, [1, 2]]);
});

test('four processes at once apply each migration once', async () => {
  const stores = await Promise.all(
    [1, 2, 3, 4].map(() => connectStore({ uri, secretKey: SECRET_KEY, appName: 'gdx-test' })),
  );
  let applied = 0;
  const slow = next(async () => {
    applied += 1;
    await sleep(300);
  });
  const done = await Promise.all(stores.map((each) => migrate(each, slow)));
  expect(applied).toBe(1);
  expect(done.flat().map(({ number }) => number)).toEqual([1, 2]);
  await Promise.all(stores.map(closeStore));
});

const QUICK = { beatMs: 50, expiryMs: 600, patienceMs: 3_000 };

test('the lock of a process that died is taken over, that of one that lives is not', async () => {
  await store.db.collection('migrations').insertOne({ _id: 'lock' as never, holder: 'dead', beat: 7 });
  let held = 0;
  let long: Promise<unknown>;
  await new Promise<void>((begun) => {
    const hold = async () => {
      held += 1;
      begun();
      await sleep(1_800);
      held -= 1;
    };
    long = withMigrationLock(store, hold, QUICK);
  });
  await withMigrationLock(store, () => Promise.resolve(expect(held).toBe(0)), {
    ...QUICK,
    patienceMs: 20_000,
  });
  await long!;
  const impatient = { ...QUICK, patienceMs: 400 };
  await withMigrationLock(store, async () => {
    await expect(withMigrationLock(store, () => Promise.resolve(), impatient)).rejects.toThrow(
      'another process is migrating',
    );
  });
});

test('who has lost the lock stops before its next migration', async () => {
  await expect(
    withMigrationLock(
      store,
      async (requireLock) => {
        await requireLock();
        await store.db
          .collection('migrations')
          .updateOne({ _id: 'lock' as never }, { $set: { holder: 'other' } });
        await requireLock();
      },
      QUICK,
    ),
  ).rejects.toThrow('another process is migrating');
});
