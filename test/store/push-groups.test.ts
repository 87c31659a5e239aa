import fc from 'fast-check';
import type { ClientSession } from 'mongodb';
import { createHash } from 'node:crypto';
import { RecordToRender } from '../../domain/records/record-to-render';
import type { PushedRecord } from '../../domain/records/validate-push';
import { readCeilings } from '../../store/records/counters';
import { findElevators } from '../../store/push/elevators';
import { writeReceipts } from '../../store/push/push-receipts';
import { findRecord, records } from '../../store/records/records';
import { storePush } from '../../store/push/store-push';
import type { ValidPush } from '../../store/push/valid-push';
import type { Store } from '../../store/store';
import { timeLimit } from '../../store/push/time-limit';
import { countOf, watchCommands } from '../bench/count-commands';
import { rewire } from '../commit-order/rewire';
import { played, scaledTest, slowTest, nightlyTest } from '../setup/cases';
import { emptyStore, openStore } from '../setup/open-store';
import { COMPANY, MANY } from '../setup/push-records';

let store: Store;
beforeEach(async () => {
  store = await emptyStore({ monitored: true });
});
afterEach(() => jest.restoreAllMocks());

describe('push-groups', () => {
  /** A push of tickets, or of what else is given, as the route passes it on. */
  function push(requestId: string, tickets: object[], rest: Partial<ValidPush> = {}): ValidPush {
    const pushed = tickets.map((ticket) => new RecordToRender('tickets', ticket as PushedRecord, COMPANY));
    return {
      receiptId: `agris/${requestId}`,
      bodyHash: createHash('sha256').update(JSON.stringify(tickets)).digest(),
      companyId: COMPANY.id,
      records: { accounts: [], contracts: [], tickets: pushed, settlements: [] },
      elevators: [],
      warnings: { count: 0, messages: {} },
      ...rest,
    };
  }

  const ticket = (id: string, note = 'new', account = '1001') => ({ id, account_id: account, note });
  const stored = { stored: true, changed: 1, unchanged: 0 };
  const noteOf = async (id: string) =>
    JSON.parse((await findRecord(store, 'tickets', `42-${id}`))!.wire.toString()).ticket.note as string;

  /** The pushes as those that wait for another one, which is on its way. */
  async function storeBehindAnother(
    pushes: ValidPush[],
    through = store,
    another = push('first', [ticket('F0')]),
  ) {
    const first = storePush(through, another);
    const others = pushes.map((one) => storePush(through, one));
    await first;
    return Promise.allSettled(others);
  }

  const valuesOf = (settled: PromiseSettledResult<unknown>[]) =>
    settled.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)));

  slowTest('pushes that wait share a transaction: fewer than one and a half commands each', async () => {
    const pushes = Array.from({ length: 64 }, (_, index) => push(`r${index}`, [ticket(`T${index}`)]));
    const sent = await watchCommands(store, async () => {
      expect(valuesOf(await storeBehindAnother(pushes))).toEqual(pushes.map(() => stored));
    });
    expect(countOf(sent, 'commitTransaction', '1')).toBe(2);
    expect(countOf(sent, 'hello', '1')).toBe(0); // nobody's time is nearly over
    expect(sent.length / pushes.length).toBeLessThan(0.5);
    expect(await readCeilings(store)).toMatchObject({ tickets: 65 });
    const order = await records(store, 'tickets').find().sort({ position: 1 }).toArray();
    expect(order.map(({ _id }) => _id)).toEqual(['42-F0', ...pushes.map((_, index) => `42-T${index}`)]);
    expect(await store.db.collection('push_receipts').countDocuments()).toBe(65);
  });

  nightlyTest(
    'a group takes at most 64 pushes and 5,000 records, in the order in which they came',
    async () => {
      const small = Array.from({ length: 70 }, (_, index) => push(`s${index}`, [ticket(`S${index}`)]));
      const bulk = (id: string) =>
        push(
          id,
          Array.from({ length: 2_600 }, (_, index) => ticket(`${id}-${index}`)),
        );
      jest.spyOn(performance, 'now').mockReturnValue(performance.now()); // nobody's time is over
      const sent = await watchCommands(store, async () => {
        await storeBehindAnother([...small, bulk('a'), bulk('b')]);
      });
      // the first; 64; 6 and the first large one; the second large one
      expect(countOf(sent, 'commitTransaction', '1')).toBe(4);
      const [last] = await records(store, 'tickets').find().sort({ position: -1 }).limit(1).toArray();
      expect(last!._id).toBe('42-b-2599');
    },
  );

  slowTest('where records take long, fewer go together, and many again where they do not', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    let slowMs = 200;
    const disk = rewire(store, ({ collection, run }) => {
      if (collection === 'tickets') clock.mockReturnValue(performance.now() + slowMs);
      return run();
    });
    async function commitsOf(note: string): Promise<number | undefined> {
      const large = (id: string) => Array.from({ length: 260 }, (_, index) => ticket(`${id}${index}`, note));
      const pushes = ['a', 'b'].map((id) => push(`${id}-${note}`, large(id)));
      const sent = await watchCommands(store, () =>
        storeBehindAnother(pushes, disk, push(`first-${note}`, [ticket('F0', note)])),
      );
      return countOf(sent, 'commitTransaction', '1');
    }
    const commits = [await commitsOf('slow')];
    slowMs = 0;
    commits.push(await commitsOf('fast'));
    expect(commits).toEqual([3, 2]);
  });

  /** A clock of the test's own, and the store through which the time of pushes is over once the first is being stored. */
  function runLate() {
    const begun = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(begun);
    const slow = rewire(store, ({ collection, method, run }) => {
      if (collection === 'tickets' && method === 'bulkWrite') clock.mockReturnValue(begun + 25_001);
      return run();
    });
    return { slow, setClock: (ms: number) => clock.mockReturnValue(begun + ms) };
  }

  test('one whose time is over when its turn comes is not begun', async () => {
    const settled = await storeBehindAnother(
      [push('late', [ticket('T1')]), push('later', [ticket('T2')])],
      runLate().slow,
    );
    const late = expect.stringContaining('WriteTimeout');
    expect(valuesOf(settled)).toEqual([late, late]);
    expect(await records(store, 'tickets').countDocuments()).toBe(1);
  });

  test('one whose own time is over first is not begun, and those beside it are stored', async () => {
    const [first, ...others] = [
      push('first', [ticket('F0')]),
      push('a', [ticket('T1')]),
      push('c', [ticket('T3')]),
    ];
    const settling = [storePush(store, first!), storePush(store, others[0]!)];
    settling.push(
      storePush(store, push('told', [ticket('T2')]), timeLimit(store, -1)),
      storePush(store, others[1]!),
    );
    const late = expect.stringContaining('its time was over');
    expect(valuesOf(await Promise.allSettled(settling))).toEqual([stored, stored, late, stored]);
    expect(await findRecord(store, 'tickets', '42-T2')).toBeNull();
  });

  test('one that waits with a late one, and has time left, is stored before those that come after', async () => {
    const { slow, setClock } = runLate();
    const answered: string[] = [];
    const add = (id: string) => storePush(slow, push(id, [ticket(id)])).then(() => answered.push(id));
    const first = add('first');
    const words = { tickets: '2026-11-30' };
    const isLate = storePush(slow, push('late', [ticket('late')], { words }));
    const late = expect(isLate).rejects.toThrow('its time was over');
    setClock(20_000);
    void add('in-time');
    await Promise.all([first, late]);
    await add('last');
    expect(answered).toEqual(['first', 'in-time', 'last']);
    expect(await noteOf('in-time')).toBe('new');
    expect(await store.db.collection('erp_words').countDocuments()).toBe(0);
  });

  test('one that cannot be stored harms no other', async () => {
    const endless: { self?: unknown } = {};
    endless.self = endless;
    const broken = push('broken', [ticket('T2')], { bodyHash: endless as Buffer });
    const settled = await storeBehindAnother([push('a', [ticket('T1')]), broken, push('c', [ticket('T3')])]);
    expect(valuesOf(settled)).toEqual([stored, expect.stringContaining('circular'), stored]);
    expect(await findRecord(store, 'tickets', '42-T2')).toBeNull();
  });

  test('repeated requests are answered as such, beside others and among each other', async () => {
    await storePush(store, push('old', [ticket('T1', 'first')]));
    let settled: PromiseSettledResult<unknown>[] = [];
    const sent = await watchCommands(store, async () => {
      settled = await storeBehindAnother([
        push('old', [ticket('T1', 'first')]),
        push('old', [ticket('T1', 'other')]),
        push('new', [ticket('T2')]),
        push('new', [ticket('T2')]),
        push('new', [ticket('T2', 'other')]),
        push('last', [ticket('T3')]),
      ]);
    });
    expect(countOf(sent, 'abortTransaction', '1')).toBe(0); // no group has failed over them
    const [repeated, reused] = ['repeated', 'request_id_reused'].map((reason) => ({ stored: false, reason }));
    expect(valuesOf(settled)).toEqual([repeated, reused, stored, repeated, reused, stored]);
    expect(await noteOf('T1')).toBe('first');
    expect(await noteOf('T2')).toBe('new');
  });

  test('a request that another process stores meanwhile is repeated, and the others are stored', async () => {
    const twin = push('twin', [ticket('T2')]);
    let others = 0;
    const raced = rewire(store, async (call) => {
      const isSecondGroup =
        call.collection === 'counters' && call.method === 'findOneAndUpdate' && ++others === 2;
      if (isSecondGroup) await writeReceipts(store, [twin], new Map());
      return call.run();
    });
    const settled = await storeBehindAnother(
      [push('a', [ticket('T1')]), twin, push('c', [ticket('T3')])],
      raced,
    );
    expect(valuesOf(settled)).toEqual([stored, { stored: false, reason: 'repeated' }, stored]);
  });

  class Died extends Error {}

  /** How many of these pushes, of two tickets each, are stored: each whole, with its receipt, or not at all. */
  async function wholeOf(requestIds: string[]): Promise<number> {
    let whole = 0;
    for (const id of requestIds) {
      const receipts = store.db.collection<{ _id: string }>('push_receipts');
      const ids = { $in: [`42-${id}-1`, `42-${id}-2`] };
      const left = [await receipts.countDocuments({ _id: `agris/${id}` }), await count({ _id: ids })];
      expect(left).toEqual(left[0] ? [1, 2] : [0, 0]);
      whole += left[0]!;
    }
    return whole;
  }
  const count = (filter: object) => records(store, 'tickets').countDocuments(filter);

  slowTest(
    'a process that ends before any step of a group leaves each push of it whole, receipt and all, or not there',
    async () => {
      const session = store.client.startSession();
      const prototype = Object.getPrototypeOf(session) as ClientSession;
      const { commitTransaction } = prototype;
      let calls = 0;
      let last = Infinity;
      const orDie = () => {
        if (++calls >= last) throw new Died();
      };
      const commit = jest.spyOn(prototype, 'commitTransaction');
      commit.mockImplementation(async function (this: ClientSession) {
        if (calls + 1 >= last) await this.abortTransaction();
        orDie();
        return commitTransaction.call(this);
      });
      let whole = 0;
      for (last = 1; whole < 4; last++) {
        calls = 0;
        const dying = rewire(store, ({ run }) => (orDie(), run()));
        const ids = ['a', 'b', 'c', 'd'].map((id) => `${id}${last}`);
        const first = push(`first${last}`, [ticket('F0', `${last}`)]);
        const pushes = ids.map((id) => push(id, [ticket(`${id}-1`), ticket(`${id}-2`)]));
        await Promise.allSettled([first, ...pushes].map((one) => storePush(dying, one)));
        whole = await wholeOf(ids);
        expect([0, 4]).toContain(whole);
      }
      expect(last).toBeGreaterThan(8);
      await session.endSession();
    },
  );

  test('of one record pushed twice the last wins, and each push is answered as if it had been alone', async () => {
    const settled = await storeBehindAnother([
      push('a', [ticket('T1', 'one', '1001')]),
      push('b', [ticket('T1', 'two', '1002')]),
      push('c', [ticket('T1', 'two', '1002'), ticket('T2')]),
    ]);
    expect(valuesOf(settled)).toEqual([stored, stored, { stored: true, changed: 1, unchanged: 1 }]);
    const document = await findRecord(store, 'tickets', '42-T1');
    expect(document).toMatchObject({ account_ids: ['42-1002'], left_account_ids: ['42-1001'], position: 3 });
  });

  test('of one elevator pushed twice the last one stays', async () => {
    const named = (name: string) => ({ elevators: [{ id: 'E1', name } as PushedRecord] });
    await storeBehindAnother([
      push('a', [ticket('T1')], named('one')),
      push('b', [ticket('T2')], named('two')),
      push('c', [ticket('T3')], named('three')),
    ]);
    expect(await elevatorsOf(store)).toEqual([{ id: 'E1', name: 'three' }]);
  });

  test('a field that a push does not send stays as an earlier push of its group has it', async () => {
    const phones = [{ phone: '7015550101' }];
    const account = (id: string, more: object) => {
      const record = { id: 'A', name: 'Meyer', ...more } as PushedRecord;
      const accounts = [new RecordToRender('accounts', record, COMPANY)];
      return push(id, [], { records: { accounts, contracts: [], tickets: [], settlements: [] } });
    };
    const created_at = '2020-01-01T00:00:00.000Z';
    await storePush(store, account('before', { phones: [{ phone: '7015550102' }] }));
    const sent = await watchCommands(store, () =>
      Promise.all(
        [account('first', {}), account('a', { phones, created_at }), account('b', { note: 'new' })].map(
          (one) => storePush(store, one),
        ),
      ),
    );
    expect(countOf(sent, 'commitTransaction', '1')).toBe(1);
    const { wire } = (await findRecord(store, 'accounts', '42-A'))!;
    expect(JSON.parse(wire.toString())).toMatchObject({ account: { phones, created_at, note: 'new' } });
  });

  slowTest('a push that is written in parts is stored whole, in its order', async () => {
    await storePush(store, push('before', [ticket('T600'), ticket('T1100', 'old')]));
    const tickets = Array.from({ length: 1201 }, (_, index) => ticket(`T${index}`));
    expect(await storePush(store, push('large', tickets))).toEqual({
      stored: true,
      changed: 1200,
      unchanged: 1,
    });
    const inOrder = await records(store, 'tickets').find().sort({ position: 1 }).toArray();
    const ids = tickets.map(({ id }) => `42-${id}`).filter((id) => id !== '42-T600');
    expect(inOrder.map(({ _id }) => _id)).toEqual(['42-T600', ...ids]);
    expect(inOrder.at(-1)).toMatchObject({ position: 1202 }); // the unchanged one took none
    expect(await noteOf('T1100')).toBe('new');
  });

  slowTest('a record of two pushes of a large group has left the accounts of both', async () => {
    await storePush(store, push('before', [ticket('T0', 'zero', '1000')]));
    const tickets = Array.from({ length: 600 }, (_, index) => ticket(`T${index}`));
    jest.spyOn(performance, 'now').mockReturnValue(performance.now()); // as fast as can be: the group may be large
    const both = [push('a', tickets), push('b', [ticket('T0', 'two', '1002')])];
    const sent = await watchCommands(store, async () =>
      expect(valuesOf(await storeBehindAnother(both))).toEqual([{ ...stored, changed: 600 }, stored]),
    );
    expect(countOf(sent, 'commitTransaction', '1')).toBe(2); // of the one before, and of both
    expect(await noteOf('T0')).toBe('two');
    const left = { account_ids: ['42-1002'], left_account_ids: ['42-1000', '42-1001'], position: 603 };
    expect(await findRecord(store, 'tickets', '42-T0')).toMatchObject(left);
  });

  slowTest('those that change nothing leave a receipt and take no position', async () => {
    await storePush(store, push('before', [ticket('T1')]));
    const settled = await storeBehindAnother([push('a', [ticket('T1')]), push('b', [ticket('T2')])]);
    expect(valuesOf(settled)).toEqual([{ stored: true, changed: 0, unchanged: 1 }, stored]);
    expect(await readCeilings(store)).toMatchObject({ tickets: 3 });
    expect(await storePush(store, push('a', [ticket('T1', 'other')]))).toMatchObject({ stored: false });
  });

  test('a push of what is stored counts, where one before it in the group has changed that', async () => {
    await storePush(store, push('before', [ticket('T1', 'old'), ...MANY]));
    const [changing, repeating] = [push('a', [ticket('T1', 'new')]), push('b', [ticket('T1', 'old')])];
    await storeBehindAnother([changing, repeating, push('many', MANY)]);
    expect(await noteOf('T1')).toBe('old');
    expect(await findRecord(store, 'tickets', '42-T1')).toMatchObject({ position: 105 });
  });

  const few = <T>(one: fc.Arbitrary<T>, minLength = 1) => fc.array(one, { minLength, maxLength: 3 });
  const someId: fc.Arbitrary<string> = fc.constantFrom('1', '2', '3');
  const pushed = fc.record({
    tickets: few(fc.tuple(someId, fc.nat(2), fc.constantFrom('1001', '1002'))),
    accounts: few(fc.tuple(someId, fc.nat(1), fc.constantFrom(undefined, [], [{ phone: '7015550142' }]))),
    elevators: few(fc.tuple(someId, fc.nat(2)), 0),
  });
  type Pushed = typeof pushed extends fc.Arbitrary<infer P> ? P : never;

  /** The last of equal ids, as a request is validated. */
  const lastOf = <T extends object>(records: T[]) => [
    ...new Map(records.map((record) => [(record as { id?: string }).id, record])).values(),
  ];

  function pushOf(requestId: string, { tickets, accounts, elevators }: Pushed): ValidPush {
    const made = push(
      requestId,
      lastOf(tickets.map(([id, note, account]) => ticket(`T${id}`, `n${note}`, account))),
    );
    made.records.accounts = lastOf(
      accounts.map(([id, name, phones]) => ({ id: `A${id}`, name: `n${name}`, ...(phones && { phones }) })),
    ).map((account) => new RecordToRender('accounts', account as PushedRecord, COMPANY));
    made.elevators = lastOf(
      elevators.map(([id, name]) => ({ id: `E${id}`, name: `n${name}` })),
    ) as PushedRecord[];
    return made;
  }

  scaledTest('a group leaves what the same pushes leave one after the other', async () => {
    const [alone, together] = [store, await openStore()];
    const first = () =>
      pushOf('first', { tickets: [['0', 0, '1001']], accounts: [['0', 0, []]], elevators: [] });
    await fc.assert(
      fc.asyncProperty(
        fc.array(pushed, { minLength: 2, maxLength: 8 }),
        fc.boolean(),
        async (sequence, looks) => {
          const pushes = sequence.map((one, index) => pushOf(`p${index}`, one));
          if (looks) pushes.push(push('many', MANY));
          const one = [];
          for (const each of [alone, together]) {
            for (const name of ['tickets', 'accounts', 'elevators', 'push_receipts'])
              await each.db.collection(name).deleteMany({});
            await storePush(each, push('before', [ticket('T1', 'n0'), ...MANY]));
          }
          await storePush(alone, first());
          for (const each of pushes) one.push(await storePush(alone, each));
          expect(valuesOf(await storeBehindAnother(pushes, together, first()))).toEqual(one);
          expect(await content(together)).toEqual(await content(alone));
        },
      ),
      played(3, 20),
    );
  });

  async function content(of: Store) {
    const stored = [];
    for (const type of ['tickets', 'accounts'] as const)
      for (const { _id, account_ids, left_account_ids, phones, wire } of await records(of, type)
        .find()
        .sort({ _id: 1 })
        .toArray()) {
        const [shown] = Object.values(JSON.parse(wire.toString()) as Record<string, Record<string, unknown>>);
        const left = left_account_ids?.sort() ?? [];
        stored.push({ _id, account_ids, left, phones, ...shown, updated_at: 0, created_at: 0 });
      }
    return [...stored, ...(await elevatorsOf(of))];
  }

  const elevatorsOf = async (of: Store) =>
    (await findElevators(of)).map(({ json }) => JSON.parse(json.toString()) as object);
});
