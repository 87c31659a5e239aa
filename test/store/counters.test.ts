import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { closeStore } from '../../store/connect';
import { startMarker } from '../../store/markers/markers';
import * as pushLocks from '../../store/push/push-locks';
import { readCeiling, readCeilings, seedCounters, takePositions } from '../../store/records/counters';
import { findRecord, records } from '../../store/records/records';
import { knownPositions, raiseCounters } from '../../store/schema/counters-ahead';
import { prepareStore } from '../../store/schema/prepare-store';
import type { Store } from '../../store/store';
import { isUnavailable } from '../../store/unavailable';
import { rewire } from '../commit-order/rewire';
import { eventually } from '../setup/eventually';
import { databaseUriOf, emptyStore, openStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';
import { slowTest } from '../setup/cases';

jest.mock('../../store/push/push-locks', () => ({
  __esModule: true,
  ...jest.requireActual<object>('../../store/push/push-locks'),
}));

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});
afterEach(() => jest.restoreAllMocks());

const tickets = (note: string, ...ids: string[]) => ({
  tickets: ids.map((id) => ({ id, account_id: '1001', note })),
});

describe('counters', () => {
  const stored = () => records(store, 'tickets').find().sort({ position: 1 }).toArray();
  const ids = (from: number, count: number) => Array.from({ length: count }, (_, i) => `T${from + i}`);

  /** The same database through another connection, as in another process. */
  async function anotherProcess(use: (other: Store) => Promise<unknown>): Promise<void> {
    const other = await openStore(databaseUriOf(store));
    await use(other);
  }

  slowTest(
    'concurrent pushes: positions are unique and without a gap, and updated_at rises with them',
    async () => {
      await anotherProcess((other) =>
        Promise.all(
          [0, 10, 20, 30].map((from, i) =>
            pushRecords(i % 2 ? other : store, tickets('a', ...ids(from, 10))),
          ),
        ),
      );
      const all = await stored();
      expect(all.map(({ position }) => position)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
      expect(await readCeiling(store, 'tickets')).toBe(40);
      const times = all.map(({ updated_at }) => updated_at.getTime());
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(new Set(times).size).toBe(4); // one instant a push, and none the same
    },
  );

  slowTest(
    'behind a transaction of another process, a push tries again and again, and waits no longer each time',
    async () => {
      const watched = await openStore(databaseUriOf(store), { monitored: true });
      const tries: number[] = [];
      watched.client.on('commandStarted', ({ commandName, command }) => {
        if (commandName === 'findAndModify' && command.findAndModify === 'counters')
          tries.push(performance.now());
      });
      const holder = store.client.startSession();
      holder.startTransaction();
      await takePositions(store, 'tickets', 1, holder);
      const waiting = pushRecords(watched, tickets('a', 'T1'));
      await eventually(() => expect(tries.length).toBeGreaterThan(40));
      await holder.commitTransaction();
      await waiting;
      await Promise.all([holder.endSession(), closeStore(watched)]);
      const pauses = tries.slice(20, 40).map((at, index) => at - tries[index + 19]!);
      expect(pauses.sort((a, b) => a - b)[10]).toBeLessThan(100); // the driver waits 250 ms by then
    },
  );

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
    const began = Date.now();
    for (const now of [began, began, began - 600_000]) {
      clock.mockReturnValue(now);
      await store.client.withSession(async (session) => {
        times.push((await takePositions(store, 'tickets', 1, session)).at.getTime());
      });
    }
    clock.mockRestore();
    expect(times).toEqual([began, began + 1, began + 2]);
  });

  test.each([
    ['two hours', 2 * 3_600_000],
    ['a year', 365 * 24 * 3_600_000],
  ])('a process whose clock is %s ahead moves no time of later changes', async (_how, aheadMs) => {
    const take = () => store.client.withSession((session) => takePositions(store, 'tickets', 1, session));
    const real = Date.now;
    await take(); // at the right time, so that the clock steps ahead after the database was asked
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => real() + aheadMs);
    const ahead = await take();
    clock.mockRestore();
    const right = await take();
    for (const { at } of [ahead, right]) expect(Math.abs(at.getTime() - Date.now())).toBeLessThan(60_000);
    expect(right.at.getTime()).toBeGreaterThan(ahead.at.getTime());
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

  test('every type counts for itself, and seeding again changes nothing', async () => {
    await pushRecords(store, {
      ...tickets('a', 'T1', 'T2'),
      accounts: [{ id: '1001', name: 'Meyer Farms' }],
    });
    await seedCounters(store);
    expect(await readCeilings(store)).toEqual({ accounts: 1, contracts: 0, tickets: 2, settlements: 0 });
  });

  test('a counter that is missing is an error, not a beginning at one', async () => {
    await store.db.collection<{ _id: string }>('counters').deleteOne({ _id: 'tickets' });
    await expect(pushRecords(store, tickets('a', 'T1'))).rejects.toThrow('run prepareStore');
    expect(await stored()).toEqual([]);
  });
});

describe('repair-counters', () => {
  const setCounter = (position: number, at = new Date(0)) =>
    store.db.collection('counters').updateOne({ _id: 'tickets' as never }, { $set: { position, at } });
  const start = () => prepareStore(store, { production: true });

  test('counters of an older moment than the markers: no process starts, the repair raises them, nothing is skipped', async () => {
    await pushRecords(store, tickets('a', '1', '2', '3'));
    await startMarker(store, 'acme', 'tickets', 3);
    await setCounter(1);
    await store.db.collection('tickets').deleteMany({ position: { $gt: 1 } });

    await expect(start()).rejects.toMatchObject({
      name: 'StoreMismatch',
      message: expect.stringMatching(/tickets at 1, but 3 is known.*; run `gdx repair counters`/),
    });
    const { counters, receiptsForgotten } = await raiseCounters(store);
    expect(counters).toContainEqual({ entity_type: 'tickets', counter: 1, highest: 3 });
    expect(receiptsForgotten).toBe(1);
    await start();

    await pushRecords(store, tickets('b', '2'));
    expect((await findRecord(store, 'tickets', '42-2'))?.position).toBe(4);
  });

  test('counters of an older moment than the records: the time is raised too, so that it goes on rising', async () => {
    await pushRecords(store, tickets('a', '1', '2'));
    const ahead = new Date(Date.now() + 3_600_000);
    await store.db.collection('tickets').updateOne({ position: 2 }, { $set: { updated_at: ahead } });
    await setCounter(0);
    await expect(start()).rejects.toThrow('tickets at 0, but 2 is known');
    await raiseCounters(store);
    await pushRecords(store, tickets('a', '3'));
    const pushed = await findRecord(store, 'tickets', '42-3');
    expect(pushed?.position).toBe(3);
    expect(pushed?.updated_at.getTime()).toBeGreaterThan(ahead.getTime());
  });

  test('the end of a catch-up counts, and a counter that is gone', async () => {
    await store.db
      .collection('markers')
      .insertOne({ channel: 'acme', entity_type: 'accounts', position: 0, until: 9 });
    await store.db.collection('counters').deleteOne({ _id: 'accounts' as never });
    await expect(start()).rejects.toThrow('accounts at 0, but 9 is known');
    await raiseCounters(store);
    expect(await readCeiling(store, 'accounts')).toBe(9);
  });

  test('a sound store is left as it is', async () => {
    await pushRecords(store, tickets('a', '1'));
    expect(await raiseCounters(store)).toMatchObject({ receiptsForgotten: 0 });
    expect(await store.db.collection('push_receipts').countDocuments()).toBe(1);
    expect(await knownPositions(store)).toEqual(
      ENTITY_TYPES.map((entity_type) => ({
        entity_type,
        counter: entity_type === 'tickets' ? 1 : 0,
        highest: entity_type === 'tickets' ? 1 : 0,
      })),
    );
  });
});

describe('push-locks', () => {
  const account = { id: '1001', name: 'Meyer Farms' };
  const ticket = (id: string) => ({ id, account_id: '1001' });

  /** Holds the counter of tickets in an open transaction, like a process that froze in the middle of a push. */
  async function holdCounter() {
    const session = store.client.startSession();
    session.startTransaction();
    await takePositions(store, 'tickets', 1, session);
    return async () => {
      if (session.inTransaction()) await session.abortTransaction();
      await session.endSession();
    };
  }

  slowTest('pushes that name their types in opposite order do not wait for each other for ever', async () => {
    // Without the locks and the line of one process, as if each came from a process of its own.
    jest.spyOn(pushLocks, 'acquirePushLocks').mockResolvedValue(() => {});
    const pushes = Array.from({ length: 8 }, (_, i) =>
      i % 2
        ? { tickets: [ticket(`T${i}`)], accounts: [{ ...account, id: `A${i}` }] }
        : { accounts: [{ ...account, id: `A${i}` }], tickets: [ticket(`T${i}`)] },
    );
    const outcomes = await Promise.all(pushes.map((push) => pushRecords({ ...store }, push)));
    expect(outcomes).toEqual(pushes.map(() => ({ stored: true, changed: 2, unchanged: 0 })));
    expect(await readCeilings(store)).toMatchObject({ accounts: 8, tickets: 8 });
  });

  test('records that have not changed take no position, in whichever place of a push', async () => {
    const of = (ids: string[], notes = '') => ({ tickets: ids.map((id) => ({ ...ticket(id), notes })) });
    await pushRecords(store, of(['T1', 'T2', 'T3']));
    const push = {
      tickets: [...of(['T1']).tickets, ...of(['T2'], 'new').tickets, ...of(['T3', 'T4']).tickets],
    };
    expect(await pushRecords(store, push)).toMatchObject({ changed: 2, unchanged: 2 });
    expect(await readCeilings(store)).toMatchObject({ tickets: 5 });
    const found = await records(store, 'tickets').find().sort({ position: 1 }).toArray();
    expect(found.map(({ _id, position }) => [_id, position])).toEqual([
      ['42-T1', 1],
      ['42-T3', 3],
      ['42-T2', 4],
      ['42-T4', 5],
    ]);
    await pushRecords(store, of(['T5']));
    expect(await readCeilings(store)).toMatchObject({ tickets: 6 });
  });

  /** The store, through which `look` learns of each try of a push to take its positions. */
  function watching(look: (tries: number) => unknown): Store {
    let tries = 0;
    return rewire(store, async ({ collection, method, run }) => {
      if (collection === 'counters' && method === 'findOneAndUpdate') await look(++tries);
      return run();
    });
  }

  test('a counter that is held: the push waits, and is stored once it is free', async () => {
    const release = await holdCounter();
    let push: Promise<unknown>;
    await new Promise<void>((isTriedAgain) => {
      const through = watching((tries) => tries === 3 && isTriedAgain());
      push = pushRecords(through, { tickets: [ticket('T1')] });
    });
    expect(await findRecord(store, 'tickets', '42-T1')).toBeNull();
    await pushRecords(store, { accounts: [account] }); // other types do not wait
    await release();
    expect(await push!).toMatchObject({ stored: true });
  });

  test('a counter that stays held: the push is unavailable when its time is over, and nothing of it is stored', async () => {
    const release = await holdCounter();
    const begun = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(begun);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000); // as where the clock was set back
    let tried = 0;
    const through = watching((tries) => {
      if (tries === 3) clock.mockReturnValue(begun + 25_001);
      if (tries === 20) return release(); // who goes on trying is found out
      tried = tries;
    });
    const push = pushRecords(through, { accounts: [account], tickets: [ticket('T1')] });
    const answer = await push.catch((error: unknown) => error);
    await release();
    expect([isUnavailable(answer), answer, tried]).toEqual([true, expect.any(Error), 4]);
    expect(await findRecord(store, 'accounts', '42-1001')).toBeNull();
    expect(await readCeilings(store)).toMatchObject({ accounts: 0, tickets: 0 });
  });

  test('the locks of one process: first come first served by type', async () => {
    const unlock = await pushLocks.acquirePushLocks(['accounts', 'tickets']);
    const order: string[] = [];
    const waiting = ['first', 'second'].map(async (name) => {
      const unlockAgain = await pushLocks.acquirePushLocks(['contracts', 'tickets']);
      order.push(name);
      unlockAgain();
    });
    (await pushLocks.acquirePushLocks(['settlements']))(); // other types do not wait
    expect(order).toEqual([]);
    unlock();
    await Promise.all(waiting);
    expect(order).toEqual(['first', 'second']);
  });
});
