import fc from 'fast-check';
import { closeStore } from '../../store/connect';
import type { Store } from '../../store/store';
import { countByAccount } from '../../store/sharing/count-by-account';
import { countWindow } from '../../store/feed/count-window';
import { records } from '../../store/push/records';
import { isSelected, type Selection } from '../../store/feed/selection';
import { findInWindow, openWindow, type Window } from '../../store/feed/window';
import { played, scaledTest } from '../setup/cases';
import { openStore } from '../setup/open-store';
import { changeTimeOf, putRecords } from '../setup/put-records';

let store: Store;
/** The positions of each case are above those of earlier cases. */
let base = 0;

beforeAll(async () => {
  store = await openStore();
});
afterAll(() => closeStore(store));

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
  const cases = fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 60 }), reading, check);
  await fc.assert(cases, played(10, 80));
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
  for (let from = 0; from < positions.length; from += limit) pages.push(positions.slice(from, from + limit));
  return pages;
}

async function checkCounts(): Promise<void> {
  const all = await records(store, 'tickets')
    .find({}, { projection: { account_ids: 1, left_account_ids: 1 } })
    .toArray();
  const totals = await store.client.withSession((session) =>
    countByAccount(store, 'tickets', [...ACCOUNTS, '42-none'], base, session),
  );
  for (const account of ACCOUNTS) {
    const expected = all.filter(
      (one) => one.account_ids.includes(account) || one.left_account_ids?.includes(account),
    );
    expect(totals.get(account) ?? 0).toBe(expected.length);
  }
  expect(totals.has('42-none')).toBe(false);
}
