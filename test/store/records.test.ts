import { findChannel } from '../../store/channels';
import { closeStore, type Store } from '../../store/connect';
import { listChannelMarkers } from '../../store/list-channel-markers';
import { readMarkers } from '../../store/markers';
import { changeTimeAt, floorOf, records } from '../../store/records';
import { resetChannelMarker } from '../../store/reset-channel-marker';
import { countWindow, readPageRecords, type Window } from '../../store/window';
import { addTestChannel } from '../setup/add-test-channel';
import { openStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';

let store: Store;
let times: Date[];

const OTHER = { id: '7', name: 'Wheaton Elevator' };
const push = (ids: string[], company?: typeof OTHER) =>
  pushRecords(store, { tickets: ids.map((id) => ({ id, account_id: '1001' })) }, company);

// Positions: 42-T1 1, 42-T2 2, 7-T1 3, 42-T3 4; three pushes, so three times.
beforeAll(async () => {
  store = await openStore();
  await push(['T1', 'T2']);
  await push(['T1'], OTHER);
  await push(['T3']);
  const all = await records(store, 'tickets').find().sort({ position: 1 }).toArray();
  times = all.map(({ updated_at }) => updated_at);
});
afterAll(() => closeStore(store));

const ofCompanies = (companies: string[]) => ({ companies, shared: undefined });

const page = (window: Window, companies: string[], limit = 10) =>
  store.client.withSession(async (session) => {
    const query = { window, selection: ofCompanies(companies), limit, span: 1, session };
    const found = await readPageRecords(store, 'tickets', query);
    return found.records.map(({ _id }) => _id);
  });

test('floorOf: just below the first record changed at or after a time', async () => {
  const [first, , second, third] = times as [Date, Date, Date, Date];
  const later = (date: Date) => new Date(date.getTime() + 1);
  expect(await floorOf(store, 'tickets', new Date(0))).toBe(0);
  expect(await floorOf(store, 'tickets', first)).toBe(0); // at that time counts
  expect(await floorOf(store, 'tickets', later(first))).toBe(2);
  expect(await floorOf(store, 'tickets', second)).toBe(2);
  expect(await floorOf(store, 'tickets', third)).toBe(3);
  expect(await floorOf(store, 'tickets', later(third))).toBeUndefined();
  expect(await floorOf(store, 'contracts', new Date(0))).toBeUndefined();
});

test('a page: above the one end, up to and with the other, in position order, of the companies named', async () => {
  expect(await page({ after: 0, upTo: 4 }, [])).toEqual(['42-T1', '42-T2', '7-T1', '42-T3']);
  expect(await page({ after: 1, upTo: 3 }, [])).toEqual(['42-T2', '7-T1']);
  expect(await page({ after: 0, upTo: 4 }, [], 2)).toEqual(['42-T1', '42-T2']);
  expect(await page({ after: 0, upTo: 4 }, ['42'])).toEqual(['42-T1', '42-T2', '42-T3']);
  expect(await page({ after: 1, upTo: 4 }, ['7', '42'])).toEqual(['42-T2', '7-T1', '42-T3']);
  expect(await page({ after: 4, upTo: 4 }, [])).toEqual([]);
});

test('a page is no larger than 16 MiB, but of one record', async () => {
  const large = await openStore();
  try {
    const note = 'x'.repeat(5 * 1024 * 1024);
    for (const id of ['T1', 'T2', 'T3', 'T4'])
      await pushRecords(large, { tickets: [{ id, account_id: '1001', note }] });
    await pushRecords(large, { tickets: [{ id: 'T5', account_id: '1001', note: note.repeat(3) }] });
    const pages: string[][] = [];
    await large.client.withSession(async (session) => {
      for (let after = 0; after < 5;) {
        const query = {
          window: { after, upTo: 5 },
          selection: ofCompanies([]),
          limit: 10,
          span: 10,
          session,
        };
        const { records: found, end } = await readPageRecords(large, 'tickets', query);
        pages.push(found.map(({ _id }) => _id));
        after = end;
      }
    });
    expect(pages).toEqual([['42-T1', '42-T2', '42-T3'], ['42-T4'], ['42-T5']]);
  } finally {
    await closeStore(large);
  }
});

test('a window is counted as it is read', async () => {
  expect(await countWindow(store, 'tickets', { after: 0, upTo: 4 }, ofCompanies([]))).toBe(4);
  expect(await countWindow(store, 'tickets', { after: 1, upTo: 4 }, ofCompanies(['42']))).toBe(2);
  expect(await countWindow(store, 'tickets', { after: 1, upTo: 4 }, ofCompanies(['42', '7']))).toBe(3);
  expect(await countWindow(store, 'tickets', { after: 4, upTo: 2 }, ofCompanies([]))).toBe(0);
});

test('changeTimeAt: of the newest record at or below a position', async () => {
  expect(await changeTimeAt(store, 'tickets', 0)).toBeNull();
  expect(await changeTimeAt(store, 'tickets', 3)).toEqual(times[2]);
  expect(await changeTimeAt(store, 'tickets', 99)).toEqual(times[3]);
});

test('a channel is reset by time: a dry run counts and changes nothing, the real one counts the same', async () => {
  const { channel } = await addTestChannel(store, 'acme', 'http://localhost', {
    page_size: 2,
    companies: ['42'],
  });
  const reset = (since: Date, dryRun: boolean) =>
    resetChannelMarker(store, channel, 'tickets', since, { dryRun });
  expect(await reset(times[0]!, true)).toEqual({ records: 3, pages: 2 });
  expect((await readMarkers(store, 'acme')).size).toBe(0);
  expect(await reset(times[0]!, false)).toEqual({ records: 3, pages: 2 });
  expect((await readMarkers(store, 'acme')).get('tickets')).toMatchObject({ position: 0, generation: 1 });
  expect(await reset(new Date(Date.now() + 60_000), false)).toEqual({ records: 0, pages: 0 });
});

test('markers are listed with what is still to come, also before the first run', async () => {
  await addTestChannel(store, 'bell', 'http://localhost', { companies: ['42'], entity_types: ['tickets'] });
  const [tickets, ...others] = await listChannelMarkers(store, (await findChannel(store, 'bell'))!);
  expect(others).toEqual([]);
  const none = { timestamp: null, delivered_at: null, last_reset: null };
  expect(tickets).toEqual({ entity_type: 'tickets', pending_records: 3, ...none });
});
