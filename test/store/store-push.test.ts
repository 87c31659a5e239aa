import fc from 'fast-check';
import { type ClientSession, MongoServerError } from 'mongodb';
import { createHash } from 'node:crypto';
import { RecordToRender } from '../../domain/records/record-to-render';
import type { PushedRecord } from '../../domain/records/validate-push';
import { readCeilings } from '../../store/records/counters';
import { findElevators } from '../../store/push/elevators';
import { findRecord, records } from '../../store/records/records';
import { storePush } from '../../store/push/store-push';
import type { ValidPush } from '../../store/push/valid-push';
import type { Store } from '../../store/store';
import { DUPLICATE_KEY, isUnavailable } from '../../store/unavailable';
import { rewire } from '../commit-order/rewire';
import { played, scaledTest, slowTest } from '../setup/cases';
import { emptyStore } from '../setup/open-store';
import { COMPANY, MANY, pushRecords } from '../setup/push-records';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

describe('store-push', () => {
  const meyer = { id: '1001', name: 'Meyer Farms' };
  const account = () => findRecord(store, 'accounts', '42-1001');
  const shown = async () => JSON.parse((await account())!.wire.toString()).account as Record<string, unknown>;

  /** A push of one account under a request id, as the route passes it on. */
  function request(id: string, name: string, rest: Partial<ValidPush> = {}): ValidPush {
    const pushed = new RecordToRender('accounts', { id: '1001', name } as PushedRecord, COMPANY);
    return {
      receiptId: `agris/${id}`,
      bodyHash: createHash('sha256').update(name).digest(),
      companyId: COMPANY.id,
      records: { accounts: [pushed], contracts: [], tickets: [], settlements: [] },
      elevators: [],
      warnings: { count: 0, messages: {} },
      ...rest,
    };
  }

  slowTest('a record pushed again with equal content keeps position and time', async () => {
    await pushRecords(store, { accounts: [meyer] });
    const before = await account();
    expect(await pushRecords(store, { accounts: [meyer] })).toEqual({
      stored: true,
      changed: 0,
      unchanged: 1,
    });
    expect(await account()).toEqual(before);
    expect((await readCeilings(store)).accounts).toBe(1);
  });

  test('unchanged records in a push with a changed one keep position and time', async () => {
    await pushRecords(store, { accounts: [meyer, { id: '1002', name: 'Olson' }, ...MANY] });
    const before = await account();
    const accounts = [meyer, { id: '1002', name: 'Olson & Sons' }, ...MANY];
    expect(await pushRecords(store, { accounts })).toEqual({ stored: true, changed: 1, unchanged: 102 });
    expect(await account()).toEqual(before);
    expect(await findRecord(store, 'accounts', '42-1002')).toMatchObject({ position: 104 });
  });

  test('created_at: the first time stored, kept over changes, until the ERP names one', async () => {
    await pushRecords(store, { accounts: [meyer] });
    const first = (await account())!;
    expect(first.created_at).toEqual(first.updated_at);
    await pushRecords(store, { accounts: [{ ...meyer, name: 'Meyer & Sons' }] });
    expect((await account())!.created_at).toEqual(first.created_at);
    expect((await account())!.updated_at > first.updated_at).toBe(true);
    await pushRecords(store, { accounts: [{ ...meyer, created_at: '2019-03-04T05:06:07-06:00' }] });
    expect(await shown()).toMatchObject({ created_at: '2019-03-04T11:06:07.000Z', name: 'Meyer Farms' });
    await pushRecords(store, { accounts: [meyer] }); // not sent any more: not a change
    expect(await account()).toMatchObject({ position: 3, created_at: new Date('2019-03-04T11:06:07Z') });
  });

  test('a corrected created_at alone is a change', async () => {
    await pushRecords(store, { accounts: [{ ...meyer, created_at: '2019-03-04T00:00:00Z' }] });
    const corrected = { ...meyer, created_at: '2018-03-04T00:00:00Z' };
    expect(await pushRecords(store, { accounts: [corrected] })).toMatchObject({ changed: 1 });
    expect(await account()).toMatchObject({ position: 2, created_at: new Date('2018-03-04') });
    expect(await shown()).toMatchObject({ created_at: '2018-03-04T00:00:00.000Z' });
  });

  test('elevators are stored, also beside records that are all unchanged', async () => {
    const elevators = [{ id: 'E1', name: 'Casselton' } as PushedRecord];
    await pushRecords(store, { accounts: MANY });
    expect(await pushRecords(store, { accounts: MANY, elevators })).toMatchObject({ changed: 0 });
    expect(await findElevators(store)).toMatchObject([{ _id: '42-E1' }]);
  });

  describe('phones', () => {
    const phones = [{ phone: '17015550142', label: 'home' }];
    const push = (...accounts: object[]) => pushRecords(store, { accounts });
    const kept = { phones: ['7015550142'] };

    test('an account without them keeps those it has, in the record and on the page', async () => {
      await push({ ...meyer, phones });
      await push({ ...meyer, name: 'Meyer & Sons' });
      expect(await account()).toMatchObject({ position: 2, ...kept });
      expect(await shown()).toMatchObject({ name: 'Meyer & Sons', phones });
      await push({ ...meyer, name: 'Meyer & Sons', phones });
      expect(await account()).toMatchObject({ position: 2, ...kept }); // the same record
    });

    test('otherwise unchanged, it changes nothing, alone or beside a changed one', async () => {
      await push({ ...meyer, phones });
      const before = await account();
      expect(await push(meyer)).toEqual({ stored: true, changed: 0, unchanged: 1 });
      expect((await readCeilings(store)).accounts).toBe(1);
      expect(await push(meyer, { id: '1002', name: 'Olson' })).toMatchObject({ changed: 1, unchanged: 1 });
      expect(await account()).toEqual(before);
    });

    test.each([null, []])('%j says that it has none', async (none) => {
      await push({ ...meyer, phones });
      expect(await push({ ...meyer, phones: none })).toMatchObject({ changed: 1 });
      expect(await account()).toMatchObject({ position: 2, phones: [] });
      expect(await shown()).toMatchObject({ phones: [] });
      expect(await push(meyer)).toMatchObject({ changed: 0 });
    });

    test('a new account without them has none; the next push may bring them', async () => {
      await push(meyer);
      expect(await shown()).toMatchObject({ phones: [] });
      await push({ ...meyer, phones });
      expect(await account()).toMatchObject({ position: 2, ...kept });
    });

    test('two pushes at once, one without phones: whichever is first, none are lost', async () => {
      await push({ ...meyer, phones: [{ phone: '5550100' }] });
      for (let round = 0; round < 5; round++) {
        const name = `Meyer ${round}`;
        await Promise.all([push({ ...meyer, phones }), push({ ...meyer, name })]);
        expect(await account()).toMatchObject(kept);
        expect(await shown()).toMatchObject({ phones });
      }
    });
  });

  const NAMED = ['2019-03-04T00:00:00.000Z', '2020-03-04T00:00:00.000Z'];
  const sent = fc.record(
    {
      id: fc.constantFrom('A', 'B'),
      name: fc.constantFrom('Meyer', 'Olson'),
      phones: fc.constantFrom(null, [], [{ phone: '7015550101' }], [{ phone: '7015550102' }]),
      created_at: fc.constantFrom(null, ...NAMED),
      deleted_at: fc.constantFrom(null, NAMED[0]),
      deleted: fc.constantFrom(true, true, false),
    },
    { requiredKeys: ['id', 'name'] },
  );
  const sequence = fc.array(sent, { minLength: 2, maxLength: 5 });

  scaledTest('one request leaves what its records leave one after the other', async () => {
    const content = async () => {
      const found = await records(store, 'accounts').find().sort({ _id: 1 }).toArray();
      return found.map(({ wire, phones, created_at }) => {
        const { account: whole } = JSON.parse(wire.toString()) as { account: Record<string, unknown> };
        const { updated_at: _, created_at: __, deleted_at, ...rest } = whole;
        return {
          ...rest,
          deleted: deleted_at !== null && (NAMED.find((named) => named === deleted_at) ?? 'at its push'),
          listed: phones,
          created: NAMED.find((named) => named === created_at.toISOString()),
        };
      });
    };
    await fc.assert(
      fc.asyncProperty(sequence, sequence, async (before, together) => {
        const left = [];
        for (const requests of [[together], together.map((one) => [one])]) {
          store = await emptyStore();
          await pushRecords(store, { accounts: before.slice(0, 1) });
          for (const accounts of requests) await pushRecords(store, { accounts });
          left.push(await content());
        }
        expect(left[0]).toEqual(left[1]);
      }),
      played(4, 40),
    );
  });

  test('a tombstone is a change like any other, and so is its end', async () => {
    await pushRecords(store, { accounts: [meyer] });
    await pushRecords(store, { accounts: [{ ...meyer, deleted_at: '2026-11-01T00:00:00Z' }] });
    expect(await account()).toMatchObject({ position: 2, deleted_at: new Date('2026-11-01T00:00:00Z') });
    expect(await shown()).toMatchObject({ deleted_at: '2026-11-01T00:00:00.000Z' });
    await pushRecords(store, { accounts: [{ ...meyer, deleted_at: null }] });
    expect(await account()).toMatchObject({ position: 3, deleted_at: null });
  });

  describe('deleted: true', () => {
    const push = (...accounts: object[]) => pushRecords(store, { accounts });
    const gone = { ...meyer, deleted: true };
    const at = '2026-11-01T00:00:00.000Z';

    test('deletes the record at the time of the push, and is neither stored nor fed itself', async () => {
      await push(meyer);
      expect(await push(gone)).toMatchObject({ changed: 1 });
      const { deleted_at, updated_at } = (await account())!;
      expect(deleted_at).toEqual(updated_at);
      expect(await shown()).toMatchObject({ deleted_at: deleted_at!.toISOString() });
      expect(await shown()).not.toHaveProperty('deleted');
    });

    test('again changes nothing, alone or beside a changed one, and the time stays in a change of something else', async () => {
      await push(gone);
      const before = (await account())!;
      expect(await push(gone)).toEqual({ stored: true, changed: 0, unchanged: 1 });
      expect((await readCeilings(store)).accounts).toBe(1);
      expect(await push(gone, { id: '1002', name: 'Olson' })).toMatchObject({ changed: 1, unchanged: 1 });
      expect(await account()).toEqual(before);
      await push({ ...gone, name: 'Meyer & Sons' });
      expect(await account()).toMatchObject({ deleted_at: before.deleted_at });
      expect(await shown()).toMatchObject({ name: 'Meyer & Sons' });
    });

    test('leaves a deleted_at beside it, and keeps it when it comes alone', async () => {
      await push({ ...gone, deleted_at: at });
      expect(await account()).toMatchObject({ deleted_at: new Date(at) });
      expect(await push(gone)).toMatchObject({ changed: 0 });
      expect(await push({ ...meyer, deleted_at: at })).toMatchObject({ changed: 0 });
    });

    test.each([undefined, null, false, ''])('deleted: %j is as if it were not there', async (deleted) => {
      await push(gone);
      expect(await push({ ...meyer, deleted })).toMatchObject({ changed: 1 });
      expect(await account()).toMatchObject({ deleted_at: null });
      expect(await shown()).not.toHaveProperty('deleted');
    });

    describe('with the id alone', () => {
      const bare = { id: '1001', deleted: true };
      const whole = { ...meyer, phones: [{ phone: '7015550142' }], created_at: at, note: 'x' };

      test('deletes what is stored, and leaves it as it is', async () => {
        await push(whole);
        const before = await shown();
        expect(await push(bare)).toMatchObject({ changed: 1 });
        const { updated_at, deleted_at, phones } = (await account())!;
        expect([phones, deleted_at]).toEqual([['7015550142'], updated_at]);
        const when = updated_at.toISOString();
        expect(await shown()).toEqual({ ...before, updated_at: when, deleted_at: when });
        expect(await push(bare)).toEqual({ stored: true, changed: 0, unchanged: 1 });
        expect(await push({ ...whole, deleted: true })).toMatchObject({ changed: 0 });
        expect(await push({ ...bare, deleted_at: at })).toMatchObject({ changed: 1 });
        expect(await shown()).toEqual({ ...before, updated_at: expect.any(String), deleted_at: at });
      });

      test('keeps whose a ticket is, so that its customers are told', async () => {
        const ticket = { id: 'T', splits: [{ account_id: '1' }, { account_id: '2' }] };
        await pushRecords(store, { tickets: [ticket] });
        await pushRecords(store, { tickets: [{ id: 'T', deleted: true }] });
        const stored = (await findRecord(store, 'tickets', '42-T'))!;
        expect(stored).toMatchObject({ account_ids: ['42-1', '42-2'], deleted_at: stored.updated_at });
        expect(stored).not.toHaveProperty('left_account_ids');
      });

      test('stores nothing where nothing is stored, alone or beside others', async () => {
        expect(await push(bare)).toEqual({ stored: true, changed: 0, unchanged: 1 });
        expect(await push(bare, { id: '1002', name: 'Olson' })).toMatchObject({ changed: 1, unchanged: 1 });
        expect(await account()).toBeNull();
      });

      test('after the record in one request it deletes that one; before it, it is replaced', async () => {
        await push(whole, bare);
        expect(await account()).toMatchObject({ phones: ['7015550142'], deleted_at: expect.any(Date) });
        expect(await shown()).toMatchObject({ note: 'x' });
        await push(bare, whole);
        expect(await account()).toMatchObject({ deleted_at: null });
      });
    });

    describe('after the record alive in one request, where an earlier deletion is stored', () => {
      const bare = { id: '1001', deleted: true };

      test.each([
        ['alone', [meyer, bare]],
        ['whole', [meyer, gone]],
        ['twice', [meyer, gone, bare]],
        ['twice, the other way', [meyer, bare, gone]],
        ['after a deletion before it', [{ ...gone, deleted_at: at }, meyer, bare]],
      ])('deletes at the time of the push: %s', async (_, request) => {
        await push({ ...meyer, deleted_at: at });
        expect(await push(...request)).toMatchObject({ changed: 1 });
        const { deleted_at, updated_at } = (await account())!;
        expect(deleted_at).toEqual(updated_at);
      });

      test.each([
        ['the deletion before it', [{ ...gone, deleted_at: at }, bare]],
        ['the deletion itself', [meyer, { ...bare, deleted_at: at }]],
        ['the stored one', [bare, gone]],
      ])('leaves the time that is said: %s', async (_, request) => {
        await push({ ...meyer, deleted_at: at });
        await push(...request);
        expect(await account()).toMatchObject({ deleted_at: new Date(at) });
      });

      test('deletes an elevator at the time of the push', async () => {
        const elevator = { id: 'E1', name: 'Casselton' };
        const stored = async () => JSON.parse((await findElevators(store))[0]!.json.toString()) as object;
        for (const deletion of [{ id: 'E1' }, elevator]) {
          await pushRecords(store, { elevators: [{ ...elevator, deleted_at: at }] });
          await pushRecords(store, { elevators: [elevator, { ...deletion, deleted: true }] });
          expect(await stored()).toEqual({ ...elevator, deleted_at: expect.not.stringContaining(at) });
        }
      });
    });

    test('an elevator is deleted the same way', async () => {
      const elevators = (...list: object[]) =>
        storePush(store, request(`e${Math.random()}`, 'Meyer', { elevators: list as PushedRecord[] }));
      const stored = async () => JSON.parse((await findElevators(store))[0]!.json.toString());
      const closed = { id: 'E1', name: 'Casselton', deleted: true };
      await elevators(closed);
      const first = await stored();
      expect(first).toEqual({ id: 'E1', name: 'Casselton', deleted_at: expect.stringMatching(/Z$/) });
      await elevators({ ...closed, city: 'Casselton' });
      expect(await stored()).toEqual({ ...first, city: 'Casselton' });
      await elevators({ id: 'E1', deleted: true }, { id: 'E2', deleted: true });
      expect(await stored()).toEqual({ ...first, city: 'Casselton' });
      expect(await findElevators(store)).toHaveLength(1);
      await elevators({ ...closed, deleted_at: at });
      expect(await stored()).toEqual({ ...first, deleted_at: at });
      await elevators({ id: 'E1', name: 'Casselton' });
      expect(await stored()).toEqual({ id: 'E1', name: 'Casselton' });
    });

    test('an elevator that is pushed again as it is keeps the time of its change', async () => {
      const elevators = (...list: object[]) =>
        storePush(store, request(`k${Math.random()}`, 'Meyer', { elevators: list as PushedRecord[] }));
      const [open, closed] = [
        { id: 'E1', name: 'Casselton' },
        { id: 'E2', name: 'Fargo', deleted: true },
      ];
      await elevators(open, closed);
      const first = await findElevators(store);
      await elevators(open, closed);
      await elevators(open, { id: 'E2', deleted: true });
      expect(await findElevators(store)).toEqual(first);
      await elevators({ ...open, city: 'Casselton' }, closed);
      const [changed, same] = await findElevators(store);
      expect(changed!.updated_at.getTime()).toBeGreaterThan(first[0]!.updated_at.getTime());
      expect(same).toEqual(first[1]);
    });
  });

  test('a request id with the same body is stored once; with another body it is refused', async () => {
    expect(await storePush(store, request('r1', 'Meyer'))).toMatchObject({ stored: true, changed: 1 });
    expect(await storePush(store, request('r2', 'Olson'))).toMatchObject({ stored: true, changed: 1 });
    // Its content is older, and it is not stored again.
    expect(await storePush(store, request('r1', 'Meyer'))).toEqual({ stored: false, reason: 'repeated' });
    const reused = await storePush(store, request('r1', 'Nelson'));
    expect(reused).toEqual({ stored: false, reason: 'request_id_reused' });
    expect(await shown()).toMatchObject({ name: 'Olson' });
    expect((await readCeilings(store)).accounts).toBe(2);
  });

  test('a push that changes nothing leaves its receipt, and one of many records, which is found so before it has the counter', async () => {
    const many = MANY.map((one) => new RecordToRender('accounts', one as PushedRecord, COMPANY));
    for (const accounts of [request('', 'Meyer').records.accounts, many]) {
      const records = { accounts, contracts: [], tickets: [], settlements: [] };
      const [first, second] = [`first of ${accounts.length}`, `second of ${accounts.length}`];
      await storePush(store, request(first, 'Meyer', { records }));
      await storePush(store, request(second, 'Meyer', { records }));
      expect(await storePush(store, request(second, 'Olson'))).toMatchObject({ reason: 'request_id_reused' });
    }
  });

  test('two equal requests at once: one is stored, both are answered', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, () => storePush(store, request('r1', 'Meyer'))),
    );
    expect(outcomes.filter(({ stored }) => stored)).toHaveLength(1);
    for (const outcome of outcomes.filter(({ stored }) => !stored)) {
      expect(outcome).toEqual({ stored: false, reason: 'repeated' });
    }
    expect((await account())!.position).toBe(1);
  });

  const otherWords = () => {
    throw new MongoServerError({ message: 'it is there already', code: DUPLICATE_KEY });
  };

  /**
   * A replica set with lag: only a linearizable read sees receipts, and not even that one where it is away. It says in words of
   * its own that a receipt is there.
   */
  const lagging = (isAway = false) =>
    rewire(store, async ({ collection, args, run }) => {
      const level = (args[1] as { readConcern?: { level: string } } | undefined)?.readConcern?.level;
      const isBehind = collection === 'push_receipts' && !Array.isArray(args[0]) && level !== 'linearizable';
      if (collection !== 'push_receipts') return run();
      if (Array.isArray(args[0])) return run().catch(otherWords);
      return isBehind || isAway ? run([{ _id: 'not there yet' }, args[1]!]) : run();
    });

  test('an equal request that another has just stored is answered as repeated, though no majority shows it yet', async () => {
    await storePush(store, request('r1', 'Meyer'));
    expect(await storePush(lagging(), request('r1', 'Meyer'))).toEqual({ stored: false, reason: 'repeated' });
    expect(await storePush(lagging(), request('r1', 'Olson'))).toMatchObject({ reason: 'request_id_reused' });
    const failure = await storePush(lagging(true), request('r1', 'Meyer')).catch((error: unknown) => error);
    expect(isUnavailable(failure)).toBe(true);
  });

  test('all or nothing: what fails at the last write takes everything back', async () => {
    const elevator = { id: 'E1', name: 'Casselton' } as PushedRecord;
    const push = request('r1', 'Meyer', { elevators: [elevator] });
    const endless: { self?: unknown } = {};
    endless.self = endless; // the receipt is the last write, and this cannot be written
    const broken = { ...push, bodyHash: endless as Buffer };
    await expect(storePush(store, broken)).rejects.toThrow('circular');
    expect([await account(), await findElevators(store)]).toEqual([null, []]);
    expect((await readCeilings(store)).accounts).toBe(0);
    expect(await storePush(store, push)).toMatchObject({ stored: true, changed: 1 });
    expect(await findElevators(store)).toMatchObject([{ _id: '42-E1', company_id: '42' }]);
  });

  test('a commit that fails is tried again whole: the receipt of the try before does not stand in its way', async () => {
    const session = store.client.startSession();
    const conflict = new MongoServerError({
      message: 'conflict',
      errorLabels: ['TransientTransactionError'],
    });
    const commit = jest.spyOn(Object.getPrototypeOf(session) as ClientSession, 'commitTransaction');
    commit.mockImplementationOnce(async function (this: ClientSession) {
      await this.abortTransaction();
      throw conflict;
    });
    expect(await storePush(store, request('r1', 'Meyer'))).toEqual({
      stored: true,
      changed: 1,
      unchanged: 0,
    });
    expect(await account()).toMatchObject({ _id: '42-1001' });
    expect(commit).toHaveBeenCalledTimes(2);
    commit.mockRestore();
    await session.endSession();
  });

  test('several types in one push share nothing but the commit', async () => {
    await pushRecords(store, {
      accounts: [meyer],
      contracts: [{ id: 'C1', account_id: '1001' }],
      tickets: [
        { id: 'T1', account_id: '1001' },
        { id: 'T2', splits: [{ account_id: '1001' }, { account_id: '1002' }] },
      ],
      settlements: [{ id: 'S1', account_id: '1001' }],
    });
    expect(await readCeilings(store)).toEqual({ accounts: 1, contracts: 1, tickets: 2, settlements: 1 });
    const [, split] = await records(store, 'tickets').find().sort({ position: 1 }).toArray();
    expect(split).toMatchObject({ _id: '42-T2', position: 2, account_ids: ['42-1001', '42-1002'] });
  });

  test('a position that is taken is an error, and no request that was stored before', async () => {
    await storePush(store, request('r1', 'Meyer'));
    const counters = store.db.collection<{ _id: string }>('counters');
    await counters.updateOne({ _id: 'accounts' }, { $set: { position: 0 } });
    const pushed = new RecordToRender('accounts', { id: '1002', name: 'Olson' } as PushedRecord, COMPANY);
    const records = { accounts: [pushed], contracts: [], tickets: [], settlements: [] };
    await expect(storePush(store, request('r2', 'Olson', { records }))).rejects.toThrow(/duplicate/i);
  });
});
