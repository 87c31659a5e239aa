import type { Store } from '../../store/store';
import { countWindow } from '../../store/feed/count-window';
import { records } from '../../store/push/records';
import type { Selection } from '../../store/feed/selection';
import { findInWindow, openWindow, type Window } from '../../store/feed/window';
import { rewire } from '../commit-order/rewire';
import { watchCommands } from '../bench/count-commands';
import { emptyStore } from '../setup/open-store';
import { changeTimeOf, putRecords } from '../setup/put-records';
import { slowTest } from '../setup/cases';

let store: Store;

beforeEach(async () => {
  store = await emptyStore({ monitored: true });
});

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
  await putRecords(
    store,
    numbers(1, 4).map((position) => ({ position })),
  );
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

test('of the companies named: one by its index, most of several by range, few of several by position', async () => {
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

test.each([all, ofCompanies('42')])(
  'a window holds at most so many records, exactly: %j',
  async (selection) => {
    // One gap of 300, and others of 1: pieces grow over the one and not over the others.
    const positions = [...numbers(1, 10), ...numbers(310, 400).filter((position) => position % 2)];
    await putRecords(
      store,
      positions.map((position) => ({ position })),
    );
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

test('a page is full, or the window’s last; one of nothing moves the marker over a long stretch', async () => {
  const positions = [1, 2, 70_001, 70_002, 70_003];
  await putRecords(
    store,
    positions.map((position) => ({ position })),
  );
  const reading = { window: { after: 0, upTo: 200_000 }, selection: all, limit: 3 };
  for (const read of ['range', 'positions'] as const) {
    const pages = (await pagesOf({ ...reading, read })).filter((page) => page.length > 0);
    expect(pages).toEqual([
      [1, 2, 70_001],
      [70_002, 70_003],
    ]);
  }
  const [first] = await pagesOf({ ...reading, window: { after: 2, upTo: 200_000 } });
  expect(first).toEqual([]);
});

test.each(['range', 'positions'] as const)(
  'by %s, a record that has changed since leaves no gap in its page',
  (read) =>
    store.client.withSession(async (session) => {
      await putRecords(
        store,
        numbers(1, 300).map((position) => ({ position })),
      );
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
  await putRecords(
    store,
    numbers(1, 300).map((position) => ({ position: position * 400 })),
  );
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
