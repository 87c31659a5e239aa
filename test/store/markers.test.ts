import { beginMarkers } from '../../store/feed/begin-markers';
import type { Store } from '../../store/store';
import {
  takeEpoch,
  ensureMarkers,
  isConfirmedSince,
  markerId,
  moveMarker,
  noteFound,
  noteUnconfirmed,
  readMarkers,
  moveMarkerBack,
  skipEmptyWindow,
  skipMarker,
  startMarker,
} from '../../store/feed/markers';
import { noteStumble } from '../../store/feed/stumbles';
import { rewire } from '../commit-order/rewire';
import { emptyStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';

const ID = markerId('acme', 'tickets');
const AT = { collection: 'markers', id: ID } as const;
let store: Store;

beforeEach(async () => {
  store = await emptyStore();
  await startMarker(store, 'acme', 'tickets', 0);
});

const marker = async () => (await readMarkers(store, 'acme')).get('tickets')!;
const progress = { delivery: 'delivery/acme/tickets/1', pages: 1, records: 2, bytes: 300 };
const at = new Date('2026-11-20T08:00:00Z');
const to = (position: number) => ({ position, timestamp: at, progress });
const attempt = async (generation = 0) => {
  const begun = await takeEpoch(store, ID, generation);
  return { id: ID, epoch: begun!.epoch };
};

test('an attempt begins with a new epoch, and moves the marker past what was confirmed', async () => {
  const fence = await attempt();
  expect(fence.epoch).toBe(1);
  expect(await moveMarker(store, fence, to(5))).toBe(true);
  expect(await moveMarker(store, fence, to(9))).toBe(true); // the epoch is the attempt's, not the page's
  expect(await marker()).toMatchObject({ position: 9, generation: 0, epoch: 1, timestamp: at, progress });
  expect((await marker()).delivered_at).toBeInstanceOf(Date);
});

test('a newer attempt fences the older one out', async () => {
  const older = await attempt();
  const newer = await attempt();
  expect(await moveMarker(store, older, to(5))).toBe(false);
  expect(await skipMarker(store, older, 5)).toBe(false);
  expect(await marker()).toMatchObject({ position: 0, delivered_at: null });
  expect(await moveMarker(store, newer, to(3))).toBe(true);
});

test('a confirmed page ends what the customer had asked for, and what it stumbled over', async () => {
  await noteUnconfirmed(store, ID, { notBefore: at, unanswered: true });
  await noteStumble(store, AT, { status: 500, position: 0, delivery: 'first' });
  expect(await marker()).toMatchObject({ not_before: at, unanswered: true, stumble: { status: 500 } });
  await moveMarker(store, await attempt(), to(5));
  const { not_before, unanswered, stumble } = await marker();
  expect([not_before, unanswered, stumble]).toEqual([undefined, undefined, undefined]);
});

test('a stumble is counted once a delivery, and begins anew with another page or another answer', async () => {
  const deliveries = async (delivery: string, status = 500, position = 0) =>
    (await noteStumble(store, AT, { status, position, delivery })).deliveries;
  expect(await deliveries('first')).toBe(1);
  expect(await deliveries('first')).toBe(1);
  expect(await deliveries('second')).toBe(2);
  expect(await deliveries('third', 501)).toBe(1);
  expect(await deliveries('fourth', 501, 7)).toBe(1);
});

test('what a plan has found counts only where no reset has come since', async () => {
  const [seen, found] = [await marker(), { to: 9, records: 9, more: false, since: null }];
  await noteFound(store, seen, found);
  expect((await marker()).found).toMatchObject(found);
  await moveMarkerBack(store, 'acme', 'tickets', { timestamp: at, floor: 0 });
  await noteFound(store, seen, found);
  expect((await marker()).found).toBeUndefined();
});

test('what was found above the marker becomes less with every page', async () => {
  await noteFound(store, await marker(), { to: 9, records: 9, more: false, since: at });
  const fence = await attempt();
  await moveMarker(store, fence, { ...to(4), records: 4 });
  await moveMarker(store, fence, { ...to(7), records: 2 });
  expect((await marker()).found).toMatchObject({ to: 9, records: 3 });
});

test('passing over positions is not a delivery', async () => {
  expect(await skipMarker(store, await attempt(), 8)).toBe(true);
  expect(await marker()).toMatchObject({ position: 8, timestamp: null, delivered_at: null });
});

test('an empty window is passed over only if nobody came between, and fences out who comes late', async () => {
  const fence = await attempt();
  const seen = await marker();
  await skipEmptyWindow(store, seen, 4);
  expect(await marker()).toMatchObject({ position: 4, epoch: 2 });
  expect(await moveMarker(store, fence, to(2))).toBe(false);
  await skipEmptyWindow(store, seen, 9); // what was seen is no longer so
  expect((await marker()).position).toBe(4);
  await moveMarkerBack(store, 'acme', 'tickets', { timestamp: at, floor: 0 });
  await skipEmptyWindow(store, { ...seen, epoch: 3 }, 9);
  expect((await marker()).position).toBe(0);
});

describe('a reset', () => {
  beforeEach(async () => {
    await pushRecords(store, { tickets: ['T1', 'T2', 'T3'].map((id) => ({ id, account_id: '1001' })) });
    await moveMarker(store, await attempt(), to(3));
  });

  test('moves the marker back and fences out every attempt, in flight or planned', async () => {
    const inFlight = await attempt();
    const before = Date.now();
    await moveMarkerBack(store, 'acme', 'tickets', { timestamp: at, floor: 1 });
    const reset = await marker();
    expect(reset).toMatchObject({ position: 1, generation: 1, epoch: inFlight.epoch + 1 });
    expect(reset.last_reset?.timestamp).toEqual(at);
    expect(reset.last_reset!.at.getTime()).toBeGreaterThanOrEqual(before);
    expect(await moveMarker(store, inFlight, to(3))).toBe(false);
    expect(await takeEpoch(store, ID, 0)).toBeNull();
    expect(await moveMarker(store, await attempt(1), to(2))).toBe(true);
  });

  test('never moves it forward', async () => {
    await moveMarkerBack(store, 'acme', 'tickets', { timestamp: at, floor: 7 });
    expect(await marker()).toMatchObject({ position: 3, generation: 1 });
    await moveMarkerBack(store, 'acme', 'tickets', { timestamp: at, floor: 0 });
    expect(await marker()).toMatchObject({ position: 0, generation: 2, timestamp: null });
  });

  test('with nothing to send again leaves it where it is, and those at work alone', async () => {
    const inFlight = await attempt();
    await moveMarkerBack(store, 'acme', 'tickets', { timestamp: at, floor: undefined });
    expect(await marker()).toMatchObject({ position: 3, generation: 0, last_reset: { timestamp: at } });
    expect(await moveMarker(store, inFlight, to(3))).toBe(true);
  });

  test('takes back where a channel began, and tells no other channel that it began there', async () => {
    const began = async (slug: string) => (await readMarkers(store, slug)).get('tickets')?.began;
    const resetTo = (slug: string, floor: number) =>
      moveMarkerBack(store, slug, 'tickets', { timestamp: at, floor });
    await beginMarkers(store, 'bison', new Map([['tickets', 2]]));
    for (const slug of ['acme', 'bison']) await resetTo(slug, 3);
    expect([await began('acme'), await began('bison')]).toEqual([undefined, 2]);
    await resetTo('bison', 1);
    expect(await began('bison')).toBe(1);
  });

  test('says so only once the marker has moved: until then the customer holds what it has passed', async () => {
    await beginMarkers(store, 'bison', new Map([['tickets', 2]]));
    const bison = async () => (await readMarkers(store, 'bison')).get('tickets')!;
    const positions: number[] = [];
    const watched = rewire(store, async ({ args, run }) => {
      if (args[1]?.['$set']?.began !== undefined) positions.push((await bison()).position);
      return run();
    });
    await moveMarkerBack(watched, 'bison', 'tickets', { timestamp: at, floor: 0 });
    expect([positions, (await bison()).began]).toEqual([[0], 0]);
  });

  test('of a type that was never delivered makes its marker', async () => {
    await moveMarkerBack(store, 'acme', 'contracts', { timestamp: at, floor: 0 });
    expect((await readMarkers(store, 'acme')).get('contracts')).toMatchObject({ position: 0, generation: 1 });
  });
});

test('what one customer confirms does not count as confirmed by another', async () => {
  const since = new Date(Date.now() - 1);
  await startMarker(store, 'bison', 'tickets', 0);
  await moveMarker(store, await attempt(), to(5));
  expect(await isConfirmedSince(store, 'acme', since)).toBe(true);
  expect(await isConfirmedSince(store, 'bison', since)).toBe(false);
});

test('markers that are there stay as they are; those that are missing begin at the beginning', async () => {
  await skipMarker(store, await attempt(), 8);
  const found = await ensureMarkers(store, 'acme', ['accounts', 'tickets']);
  expect([...found].map(([type, { position }]) => [type, position]).sort()).toEqual([
    ['accounts', 0],
    ['tickets', 8],
  ]);
  expect([...(await ensureMarkers(store, 'acme', ['tickets'])).keys()].sort()).toEqual([
    'accounts',
    'tickets',
  ]);
});

test('a channel that begins now: where it starts can change until its first attempt', async () => {
  const begin = (position: number) => beginMarkers(store, 'bison', new Map([['tickets', position]]));
  const position = async () => (await readMarkers(store, 'bison')).get('tickets')?.position;
  await begin(5);
  await begin(7);
  expect(await position()).toBe(7);
  await takeEpoch(store, markerId('bison', 'tickets'), 0);
  await begin(9);
  expect(await position()).toBe(7);
});
