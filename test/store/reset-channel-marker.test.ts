import { findChannel, limitPageSize } from '../../store/feed/channels';
import { closeStore } from '../../store/connect';
import type { Store } from '../../store/store';
import { listChannelMarkers } from '../../store/feed/list-channel-markers';
import { readMarkers } from '../../store/feed/markers';
import { changeTimeAt, floorOf } from '../../store/feed/change-times';
import { records } from '../../store/push/records';
import { countForReset, resetChannelMarker } from '../../store/feed/reset-channel-marker';
import { addTestChannel } from '../setup/add-test-channel';
import { openStore } from '../setup/open-store';
import { overWithin } from '../setup/over-within';
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

test('changeTimeAt: of the newest record at or below a position', async () => {
  expect(await changeTimeAt(store, 'tickets', 0)).toBeNull();
  expect(await changeTimeAt(store, 'tickets', 3)).toEqual(times[2]);
  expect(await changeTimeAt(store, 'tickets', 99)).toEqual(times[3]);
});

test('a channel is reset by time; what it sends again is counted apart', async () => {
  const { channel } = await addTestChannel(store, 'acme', 'http://localhost', {
    page_size: 2,
    companies: ['42'],
  });
  const reset = (since: Date) => resetChannelMarker(store, channel, 'tickets', since);
  const count = (floor: number | undefined) =>
    countForReset(store, channel, 'tickets', floor, { withinMs: 2_000 });
  expect(await count(await floorOf(store, 'tickets', times[0]!))).toEqual({ records: 3, pages: 2 });
  expect((await readMarkers(store, 'acme')).size).toBe(0);
  expect(await reset(times[0]!)).toBe(0);
  expect((await readMarkers(store, 'acme')).get('tickets')).toMatchObject({ position: 0, generation: 1 });
  expect(await reset(new Date(Date.now() + 60_000))).toBeUndefined();
  expect(await count(undefined)).toEqual({ records: 0, pages: 0 });
  const inNoTime = await countForReset(store, channel, 'tickets', 0, { withinMs: 0 });
  expect(inNoTime).toEqual({ records: null, pages: null, at_least: expect.any(Number) });
  await limitPageSize(store, 'acme', 1); // the customer has refused larger ones
  const learnt = (await findChannel(store, 'acme'))!;
  const sentAgain = await countForReset(store, learnt, 'tickets', 0, { withinMs: 2_000 });
  expect(sentAgain).toEqual({ records: 3, pages: 3 });
});

test('markers are listed with what is still to come, also before the first run', async () => {
  await addTestChannel(store, 'temporal', 'http://localhost', {
    companies: ['42'],
    entity_types: ['tickets'],
  });
  const [tickets, ...others] = await listChannelMarkers(store, (await findChannel(store, 'temporal'))!);
  expect(others).toEqual([]);
  const none = { timestamp: null, delivered_at: null, last_reset: null };
  expect(tickets).toEqual({ entity_type: 'tickets', pending_records: 3, ...none });
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(overWithin(2_000));
  const [inNoTime] = await listChannelMarkers(store, (await findChannel(store, 'temporal'))!);
  timeout.mockRestore();
  expect(inNoTime).toMatchObject({ pending_records: 0, pending_at_least: true });
});
