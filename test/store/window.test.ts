import fc from 'fast-check';
import { changeTimeAt, floorOf } from '../../store/window/change-times';
import { isSelected, type Selection } from '../../store/window/selection';
import { countWindow, findInWindow, MAX_IN_WINDOW, openWindow, type Window } from '../../store/window/window';
import { records } from '../../store/records/records';
import { countByAccount } from '../../store/window/count-by-account';
import type { Store } from '../../store/store';
import { watchCommands } from '../bench/count-commands';
import { rewire } from '../commit-order/rewire';
import { played, scaledTest, slowTest, nightlyTest } from '../setup/cases';
import { emptyStore } from '../setup/open-store';
import { changeTimeOf, putRecords } from '../setup/put-records';

let store: Store;
beforeEach(async () => {
  store = await emptyStore({ monitored: true });
});

const putAt = (positions: number[]) =>
  putRecords(
    store,
    positions.map((position) => ({ position })),
  );

describe('window', () => {
  const all: Selection = { companies: [], shared: undefined };
  const ofCompanies = (...companies: string[]): Selection => ({ companies, shared: undefined });
  const ofAccounts = (...accounts: string[]): Selection => ({ companies: [], shared: new Set(accounts) });
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);

  interface Reading {
    window: Window;
    selection: Selection;
    read?: 'range' | 'positions';
    span?: number;
    limit?: number;
  }

  /** The positions of every page of a window. */
  const pagesOf = ({ window, selection, read = 'range', span = 4, limit = 3 }: Reading) =>
    store.client.withSession(async (session) => {
      const reader = openWindow(store, 'tickets', { window, selection, read, span, session });
      const pages: number[][] = [];
      for (let { after } = window; after < window.upTo;) {
        const page = await reader.read(after, limit);
        pages.push(page.records.map(({ position }) => position));
        after = page.end;
      }
      return pages;
    });

  const find = (window: Window, selection: Selection, most?: number) =>
    findInWindow(store, 'tickets', window, selection, most === undefined ? {} : { most });

  test('a window is above the one end, up to and with the other', async () => {
    await putAt(numbers(1, 4));
    expect(await pagesOf({ window: { after: 1, upTo: 3 }, selection: all })).toEqual([[2, 3]]);
    expect(await find({ after: 1, upTo: 3 }, all)).toEqual({
      records: 2,
      to: 3,
      more: false,
      read: 'range',
      since: changeTimeOf(2),
    });
    expect(await find({ after: 4, upTo: 4 }, all)).toMatchObject({
      records: 0,
      to: 4,
      more: false,
      since: null,
    });
  });

  test('it holds at most 100,000 records; the rest is of the next', async () => {
    expect(MAX_IN_WINDOW).toBe(100_000);
    await putAt([2, 4, 6]);
    for (const selection of [all, ofAccounts('42-1001')])
      expect(await find({ after: 0, upTo: 9 }, selection, 2)).toMatchObject({
        records: 2,
        to: 4,
        more: true,
      });
  });

  slowTest(
    'of the companies named: one by its index, most of several by range, few of several by position',
    async () => {
      const company = (position: number) => (position === 50 ? '7' : position % 2 ? '42' : '3');
      await putRecords(
        store,
        numbers(1, 100).map((position) => ({ position, company_id: company(position) })),
      );
      const window = { after: 0, upTo: 100 };
      expect(await find(window, ofCompanies('42'))).toMatchObject({ records: 50, read: 'range' });
      expect(await find(window, ofCompanies('42', '7'))).toMatchObject({ records: 51, read: 'range' });
      expect(await find(window, ofCompanies('7', '8'))).toMatchObject({
        records: 1,
        read: 'positions',
        since: changeTimeOf(50),
      });
      const selection = ofCompanies('7', '42');
      const expected = numbers(1, 100).filter((position) => position % 2 || position === 50);
      for (const read of ['range', 'positions'] as const)
        expect((await pagesOf({ window, selection, read })).flat()).toEqual(expected);
    },
  );

  test('what was corrected away is found by keys of its own, whatever else the window holds', async () => {
    const left = (position: number) => (position % 50 ? {} : { left_account_ids: ['42-A'] });
    await putRecords(
      store,
      numbers(1, 1_000).map((position) => ({ position, account_ids: ['42-X'], ...left(position) })),
    );
    const window = { after: 0, upTo: 1_000 };
    const keys: number[] = [];
    const read = rewire(store, async ({ collection, method, args: [filter, options], run }) => {
      const found = store.db
        .collection(collection)
        .find(filter!, options ?? {})
        .sort({ position: 1 });
      const { executionStats } = method === 'find' ? await found.explain('executionStats') : {};
      if (executionStats) keys.push(executionStats.totalKeysExamined);
      return run();
    });
    expect(await findInWindow(read, 'tickets', window, ofAccounts('42-A'), {})).toMatchObject({
      records: 20,
    });
    expect([keys.length > 0, keys.filter((examined) => examined > 20)]).toEqual([true, []]);
  });

  test('of the accounts shared, and of those that a record was corrected away from', async () => {
    await putRecords(store, [
      { position: 1, account_ids: ['42-A', '42-B'] },
      { position: 2, account_ids: ['42-X'] },
      { position: 3, account_ids: ['42-X'], left_account_ids: ['42-B'] },
      { position: 400, account_ids: ['42-B'], company_id: '7' },
    ]);
    const window = { after: 0, upTo: 1_000 };
    const selection = ofAccounts('42-A', '42-B');
    expect(await find(window, selection)).toMatchObject({ records: 3, read: 'positions' });
    expect(await pagesOf({ window, selection, read: 'positions', limit: 2 })).toEqual([[1, 3], [400]]);
    expect(await pagesOf({ window, selection, read: 'range', limit: 2 })).toEqual([[1, 3], [400]]);
    const of42 = { ...selection, companies: ['42'] };
    expect(await find(window, of42)).toMatchObject({ records: 2 });
    expect((await pagesOf({ window, selection: of42, read: 'positions' })).flat()).toEqual([1, 3]);
  });

  test('nobody shares anything: nothing is asked of the database', async () => {
    await putRecords(store, [{ position: 1 }]);
    const sent = await watchCommands(store, async () => {
      expect(await find({ after: 0, upTo: 9 }, ofAccounts())).toMatchObject({ records: 0, to: 9 });
      expect(await pagesOf({ window: { after: 0, upTo: 9 }, selection: ofAccounts() })).toEqual([[]]);
    });
    expect(sent).toEqual([]);
  });

  test.each([ofCompanies('42'), ofCompanies('42', '43'), ofAccounts('42-A')])(
    'after years of pushes by others, what a new channel has is found and read by a few questions: %j',
    async (selection) => {
      const far = 10 ** 10;
      await putRecords(store, [{ position: 7, company_id: '9' }]);
      const empty = await watchCommands(store, async () => {
        expect(await find({ after: 0, upTo: far }, selection)).toMatchObject({ records: 0, to: far });
      });
      expect(empty.length).toBeLessThanOrEqual(10 * Math.max(1, selection.companies.length));
      const own = { company_id: '42', account_ids: ['42-A'] };
      await putRecords(store, [
        { position: far / 2, ...own },
        { position: far - 1, ...own },
      ]);
      const few = await watchCommands(store, async () => {
        const window = { after: 0, upTo: far };
        const { records: count, read } = await find(window, selection);
        expect(count).toBe(2);
        expect((await pagesOf({ window, selection, read, span: far })).flat()).toEqual([far / 2, far - 1]);
      });
      expect(few.length).toBeLessThanOrEqual(60);
    },
  );

  test.each([all, ofCompanies('42')])(
    'a page whose records lie as the plan expects is one find by range, sort and limit: %j',
    async (selection) => {
      await putAt([7, 9, 16]);
      const window = { after: 0, upTo: 20 };
      const sent = await watchCommands(store, async () => {
        const pages = await pagesOf({ window, selection, limit: 2, span: 20 });
        expect(pages).toEqual([[7, 9], [16]]);
      });
      const one = { find: 'tickets', sort: new Map([['position', 1]]), limit: 2 };
      expect(sent.map(({ command }) => command)).toMatchObject([one, one]);
    },
  );

  test.each([all, ofCompanies('42')])(
    'a window holds at most so many records, exactly: %j',
    async (selection) => {
      // One gap of 300, and others of 1: pieces grow over the one and not over the others.
      const positions = [...numbers(1, 10), ...numbers(310, 400).filter((position) => position % 2)];
      await putAt(positions);
      const window = { after: 0, upTo: 1_000 };
      const since = changeTimeOf(1);
      for (const most of [1, 10, 11, 54]) {
        const to = positions[most - 1]!;
        expect(await find(window, selection, most)).toEqual({
          records: most,
          to,
          more: true,
          read: 'range',
          since,
        });
      }
      const whole = { records: 55, to: 1_000, more: false, read: 'range', since };
      expect(await find(window, selection, 55)).toEqual(whole);
      expect(await find(window, selection, 1_000)).toEqual(whole);
    },
  );

  test('of several companies no more is counted than one key above what is asked for', async () => {
    const companies = ['1', '2', '3'];
    const rows = numbers(1, 12).map((position) => ({ position, company_id: companies[position % 3]! }));
    await putRecords(store, rows);
    const count = (most: number) => () => find({ after: 0, upTo: 12 }, ofCompanies(...companies), most);
    const limitsOf = (sent: { command: unknown }[]) =>
      sent.flatMap(
        ({ command }) =>
          (command as { pipeline?: { $limit?: number }[] }).pipeline?.flatMap(({ $limit }) => $limit ?? []) ??
          [],
      );
    expect(limitsOf(await watchCommands(store, count(5)))).toEqual([6, 2]);
    expect(limitsOf(await watchCommands(store, count(3)))).toEqual([4]);
  });

  test('a page is full, or the window’s last; one of nothing moves the marker over a long stretch', async () => {
    const positions = [1, 2, 70_001, 70_002, 70_003];
    await putAt(positions);
    const reading = { window: { after: 0, upTo: 200_000 }, selection: all, limit: 3 };
    for (const read of ['range', 'positions'] as const) {
      const pages = (await pagesOf({ ...reading, read })).filter((page) => page.length > 0);
      expect(pages).toEqual([
        [1, 2, 70_001],
        [70_002, 70_003],
      ]);
    }
    expect((await pagesOf({ ...reading, window: { after: 2, upTo: 200_000 } }))[0]).toEqual([]);
  });

  slowTest.each(['range', 'positions'] as const)(
    'by %s, a record that has changed since leaves no gap in its page',
    (read) =>
      store.client.withSession(async (session) => {
        await putAt(numbers(1, 300));
        const query = {
          window: { after: 0, upTo: 300 },
          selection: ofAccounts('42-1001'),
          read,
          span: 4,
          session,
        };
        const reader = openWindow(store, 'tickets', query);
        expect((await reader.read(0, 2)).records).toHaveLength(2);
        const later = { position: { $gte: 3, $lte: 250 } };
        await records(store, 'tickets').updateMany(later, { $inc: { position: 500 } });
        const page = await reader.read(2, 3);
        expect(page.records.map(({ position }) => position)).toEqual([251, 252, 253]);
        expect(page.end).toBe(253);
        // Records beyond the window's end are read afresh.
        const extra = await reader.read(500, 2, { upTo: 600 });
        expect(extra.records.map(({ position }) => position)).toEqual([503, 504]);
      }),
  );

  slowTest('a page is no larger than 16 MiB, but of one record', async () => {
    const mebibytes = (size: number) => Buffer.alloc(size * 1024 * 1024);
    await putRecords(
      store,
      [5, 5, 5, 5, 15].map((size, index) => ({ position: index + 1, wire: mebibytes(size) })),
    );
    const reading = { window: { after: 0, upTo: 5 }, limit: 10, span: 10 };
    for (const read of ['range', 'positions'] as const)
      expect(await pagesOf({ ...reading, selection: ofAccounts('42-1001'), read })).toEqual([
        [1, 2, 3],
        [4],
        [5],
      ]);
    expect(await pagesOf({ ...reading, selection: all })).toEqual([[1, 2, 3], [4], [5]]);
  });

  test('a window of any length is counted until there is no more time', async () => {
    await putAt(numbers(1, 300).map((position) => position * 400));
    const window = { after: 0, upTo: 120_000 };
    const never = new AbortController().signal;
    for (const selection of [all, ofCompanies('42', '7'), ofAccounts('42-1001')])
      expect(await countWindow(store, 'tickets', window, selection, never)).toEqual({
        records: 300,
        complete: true,
      });
    const over = AbortSignal.abort(new Error('time is over'));
    expect(await countWindow(store, 'tickets', window, all, over)).toEqual({ records: 0, complete: false });
    const reading = findInWindow(store, 'tickets', window, all, { signal: over });
    await expect(reading).rejects.toThrow('time is over');
    const away = rewire(store, () => Promise.reject(new Error('away')));
    await expect(countWindow(away, 'tickets', window, all, never)).rejects.toThrow('away');
  });
});

describe('change-times', () => {
  beforeEach(async () => {
    await putAt(positions);
    const counters = store.db.collection<{ _id: string; position: number }>('counters');
    await counters.updateOne({ _id: 'tickets' }, { $set: { position: 70_000 } });
  });

  const dense = Array.from({ length: 1_000 }, (_, index) => 50_000 + index);
  const positions = [3, 4, 9, 4_000, ...dense, 60_000];

  // At, just below and just above changes beside a gap and in a dense range.
  const asked = [0, ...[4, 4_000, 50_000, 50_777, 60_000].flatMap((at) => [at - 1, at, at + 1])];

  nightlyTest('the floor of a change time, by few short ranges', async () => {
    for (const at of asked) {
      const first = positions.find((position) => position >= at);
      let floor: number | undefined;
      const sent = await watchCommands(store, async () => {
        floor = await floorOf(store, 'tickets', changeTimeOf(at));
      });
      expect([at, floor]).toEqual([at, first && first - 1]);
      expect(sent.length).toBeLessThan(100);
    }
  });

  test('the change time at a position', async () => {
    for (const at of asked) {
      const newest = positions.findLast((position) => position <= at);
      expect([at, await changeTimeAt(store, 'tickets', at)]).toEqual([
        at,
        newest ? changeTimeOf(newest) : null,
      ]);
    }
  });
});

describe('window-property', () => {
  /** The positions of each case are above those of earlier cases. */
  let base = 0;

  const COMPANIES = ['42', '7', '3'];
  const ACCOUNTS = ['42-A', '42-B', '7-A', '3-A', '3-B'];

  const some = (of: string[], minLength = 0) =>
    fc.uniqueArray(fc.constantFrom(...of), { minLength, maxLength: of.length });
  const gap = fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 30 }) },
    fc.constant(25_000),
  );
  const record = fc.record({
    gap,
    company_id: fc.constantFrom(...COMPANIES),
    account_ids: some(ACCOUNTS, 1),
    left: fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, some(ACCOUNTS, 1)),
  });
  const selection = fc
    .tuple(some(COMPANIES), fc.option(some(ACCOUNTS)))
    .map(([companies, shared]): Selection => ({ companies, shared: shared ? new Set(shared) : undefined }));
  const reading = fc.record({
    selection,
    read: fc.constantFrom('range' as const, 'positions' as const),
    span: fc.integer({ min: 1, max: 40 }),
    limit: fc.integer({ min: 1, max: 9 }),
    most: fc.integer({ min: 1, max: 12 }),
    begin: fc.integer({ min: 0, max: 40 }),
    cut: fc.integer({ min: 0, max: 40 }),
    changed: fc.array(fc.nat(59), { maxLength: 20 }),
  });

  type Given = typeof record extends fc.Arbitrary<infer T> ? T : never;
  type Reading = typeof reading extends fc.Arbitrary<infer T> ? T : never;
  type Stored = ReturnType<typeof place>[number];

  /** Inserts the generated records above all existing positions. */
  function place(given: Given[]) {
    let position = base;
    return given.map(({ gap, left, ...rest }) => {
      position += gap + 1;
      const left_account_ids = left.filter((account) => !rest.account_ids.includes(account));
      return { ...rest, position, ...(left_account_ids.length > 0 ? { left_account_ids } : {}) };
    });
  }

  const isOurs = ({ companies, shared }: Selection, record: Stored) =>
    (companies.length === 0 || companies.includes(record.company_id)) &&
    isSelected({ companies, shared }, record);

  scaledTest('a window is found and read as a list of all records says', async () => {
    base = 0;
    const cases = fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 60 }), reading, check);
    await fc.assert(cases, played(6, 80));
  });

  async function check(given: Given[], how: Reading): Promise<void> {
    const stored = place(given);
    await putRecords(store, stored);
    const after = base + how.begin;
    base = stored.at(-1)!.position + 100;
    const window = { after, upTo: Math.max(after, base - 95 - how.cut) };
    const isIn = ({ position }: Stored) => position > window.after && position <= window.upTo;
    const ours = stored.filter((one) => isIn(one) && isOurs(how.selection, one));
    await checkFound(window, ours, how);
    await checkPages(window, stored, ours, how);
    await checkCounts();
  }

  async function checkFound(window: Window, ours: Stored[], { selection, most }: Reading): Promise<void> {
    const found = await findInWindow(store, 'tickets', window, selection, { most });
    const held = ours.slice(0, most);
    const next = ours[most];
    const since = held[0] ? changeTimeOf(held[0].position) : null;
    expect(found).toMatchObject({ records: held.length, more: next !== undefined, since });
    expect(found.to).toBeGreaterThanOrEqual(next ? held.at(-1)!.position : window.upTo);
    expect(found.to).toBeLessThan(next?.position ?? window.upTo + 1);
    const counted = await countWindow(store, 'tickets', window, selection, new AbortController().signal);
    expect(counted).toEqual({ records: ours.length, complete: true });
  }

  /** One page, then some records change and so move above the window, then the others. */
  async function checkPages(window: Window, stored: Stored[], ours: Stored[], how: Reading): Promise<void> {
    await store.client.withSession(async (session) => {
      const reader = openWindow(store, 'tickets', { ...how, window, session });
      const first = await reader.read(window.after, how.limit);
      const seen = first.records.map(({ position }) => position);
      const changed = new Set(how.changed.flatMap((index) => stored[index]?.position ?? []));
      for (const position of changed) {
        base += 1;
        await records(store, 'tickets').updateOne({ position }, { $set: { position: base } });
      }
      const left = ours
        .map(({ position }) => position)
        .filter((position) => position > first.end && !changed.has(position));
      const pages: number[][] = [];
      for (let after = first.end; after < window.upTo;) {
        const page = await reader.read(after, how.limit);
        expect(page.end).toBeGreaterThan(after);
        if (page.records.length > 0) pages.push(page.records.map(({ position }) => position));
        after = page.end;
      }
      expect(seen).toEqual(ours.slice(0, seen.length).map(({ position }) => position));
      expect(pages).toEqual(inPages(left, how.limit));
    });
  }

  function inPages(positions: number[], limit: number): number[][] {
    const pages: number[][] = [];
    for (let from = 0; from < positions.length; from += limit)
      pages.push(positions.slice(from, from + limit));
    return pages;
  }

  async function checkCounts(): Promise<void> {
    const all = await records(store, 'tickets')
      .find({}, { projection: { account_ids: 1, left_account_ids: 1 } })
      .toArray();
    const totals = await store.client.withSession((session) =>
      countByAccount(store, 'tickets', [...ACCOUNTS, '42-none'], { after: 0, upTo: base }, session),
    );
    for (const account of ACCOUNTS) {
      const expected = all.filter(
        (one) => one.account_ids.includes(account) || one.left_account_ids?.includes(account),
      );
      expect(totals.get(account) ?? 0).toBe(expected.length);
    }
    expect(totals.has('42-none')).toBe(false);
  }
});

describe('count-by-account', () => {
  const [HAS, OTHER] = ['42-1001', '42-1002'];

  test('records that came after the end of a catch-up are not of its total, nor those that left the account since', async () => {
    const corrected = { account_ids: [OTHER], left_account_ids: [HAS] };
    await putRecords(store, [
      { position: 1 },
      { position: 2, ...corrected },
      { position: 3 },
      { position: 4, ...corrected },
    ]);
    const upTo = (position: number) =>
      store.client.withSession((session) =>
        countByAccount(store, 'tickets', [HAS, OTHER, '42-none'], { after: 0, upTo: position }, session),
      );
    expect(await upTo(1)).toEqual(new Map([[HAS, 1]]));
    expect(await upTo(2)).toEqual(new Map([[HAS, 2], [OTHER, 1]])); // prettier-ignore
    expect(await upTo(4)).toEqual(new Map([[HAS, 4], [OTHER, 2]])); // prettier-ignore
  });
});
