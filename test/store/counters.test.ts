import { closeStore } from '../../store/connect';
import type { Store } from '../../store/store';
import { readCeiling, readCeilings, seedCounters, takePositions } from '../../store/push/counters';
import { records } from '../../store/push/records';
import { databaseUriOf, emptyStore, openStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';

let store: Store;

beforeEach(async () => {
  store = await emptyStore();
});

const tickets = (note: string, ...ids: string[]) => ({
  tickets: ids.map((id) => ({ id, account_id: '1001', note })),
});
const stored = () => records(store, 'tickets').find().sort({ position: 1 }).toArray();
const ids = (from: number, count: number) => Array.from({ length: count }, (_, i) => `T${from + i}`);

/** The same database through another connection, as in another process. */
async function anotherProcess(use: (other: Store) => Promise<unknown>): Promise<void> {
  const other = await openStore(databaseUriOf(store));
  try {
    await use(other);
  } finally {
    await closeStore(other);
  }
}

test('concurrent pushes: positions are unique and without a gap, and updated_at rises with them', async () => {
  await anotherProcess((other) =>
    Promise.all(
      [0, 10, 20, 30].map((from, i) => pushRecords(i % 2 ? other : store, tickets('a', ...ids(from, 10)))),
    ),
  );
  const all = await stored();
  expect(all.map(({ position }) => position)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  expect(await readCeiling(store, 'tickets')).toBe(40);
  const times = all.map(({ updated_at }) => updated_at.getTime());
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(new Set(times).size).toBe(4); // one instant a push, and none the same
});

test('the same record from several sides: the last commit has the highest position and the latest time', async () => {
  const versions = ['a', 'b', 'c', 'd', 'e'];
  await Promise.all(versions.map((note) => pushRecords(store, tickets(note, 'T1'))));
  const [record, ...others] = await stored();
  expect(others).toEqual([]);
  expect(record?.position).toBe(5);
  const counter = await store.db.collection<{ _id: string }>('counters').findOne({ _id: 'tickets' });
  expect(counter).toMatchObject({ position: 5, at: record?.updated_at });
});

test('two changes in one millisecond, and a clock that steps back: updated_at rises all the same', async () => {
  const clock = jest.spyOn(Date, 'now');
  const times: number[] = [];
  for (const now of [5e12, 5e12, 5e12 - 600_000]) {
    clock.mockReturnValue(now);
    await store.client.withSession(async (session) => {
      times.push((await takePositions(store, 'tickets', 1, session)).at.getTime());
    });
  }
  clock.mockRestore();
  expect(times).toEqual([5e12, 5e12 + 1, 5e12 + 2]);
});

test('a transaction that fails leaves nothing: the next push takes its positions', async () => {
  await pushRecords(store, tickets('a', 'T1'));
  const failing = store.client.withSession((session) =>
    session.withTransaction(async () => {
      await takePositions(store, 'tickets', 7, session);
      throw new Error('power cut');
    }),
  );
  await expect(failing).rejects.toThrow('power cut');
  expect(await readCeiling(store, 'tickets')).toBe(1);
  await pushRecords(store, tickets('a', 'T2'));
  expect((await stored()).map(({ position }) => position)).toEqual([1, 2]);
});

test('positions that a push takes and does not need are a gap, never filled later', async () => {
  await pushRecords(store, tickets('a', 'T1', 'T2', 'T3'));
  await pushRecords(store, tickets('a', 'T1', 'T2', 'T4')); // only T4 is new
  await pushRecords(store, tickets('b', 'T5'));
  expect((await stored()).map(({ _id, position }) => [_id, position])).toEqual([
    ['42-T1', 1],
    ['42-T2', 2],
    ['42-T3', 3],
    ['42-T4', 6],
    ['42-T5', 7],
  ]);
});

test('every type counts for itself, and seeding again changes nothing', async () => {
  await pushRecords(store, { ...tickets('a', 'T1', 'T2'), accounts: [{ id: '1001', name: 'Meyer Farms' }] });
  await seedCounters(store);
  expect(await readCeilings(store)).toEqual({ accounts: 1, contracts: 0, tickets: 2, settlements: 0 });
});

test('a counter that is missing is an error, not a beginning at one', async () => {
  await store.db.collection<{ _id: string }>('counters').deleteOne({ _id: 'tickets' });
  await expect(pushRecords(store, tickets('a', 'T1'))).rejects.toThrow('run prepareStore');
  expect(await stored()).toEqual([]);
});
