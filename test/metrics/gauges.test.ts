import { createGaugeReader } from '../../metrics/read-gauges';
import { registry } from '../../metrics/instruments';
import { pauseChannel } from '../../store/channels';
import { closeStore, type Store } from '../../store/connect';
import { readCeiling } from '../../store/counters';
import { ensureMarkers, resetMarker } from '../../store/markers';
import { startPositions } from '../../cli/start-positions';
import { beginMarkers } from '../../store/begin-markers';
import { connectStore } from '../../store/connect';
import { listChannelMarkers } from '../../store/list-channel-markers';
import { addTestChannel } from '../setup/add-test-channel';
import { openStore, SECRET_KEY } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';
import { readPage, valueOf } from './page';

let store: Store;

beforeAll(async () => {
  store = await openStore();
});

afterAll(() => closeStore(store));

const tickets = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ id: `${from + index}`, account_id: '7' }));

/** The samples as the page has them now. */
async function scrape() {
  await createGaugeReader(store)();
  return readPage(await registry.metrics());
}

const ofAcme = { channel: 'acme', entity_type: 'tickets' };

test('pending and freshness: what waits, and how long the oldest of it has', async () => {
  await pushRecords(store, { tickets: tickets(1, 3) });
  const { channel } = await addTestChannel(store, 'acme', 'https://acme.example');
  const fresh = await addTestChannel(store, 'fresh', 'https://fresh.example');
  await beginMarkers(store, 'fresh', await startPositions(store, fresh.channel, 'now'));
  const long = new Date(Date.now() - 3_600_000);
  await store.db.collection('tickets').updateMany({}, { $set: { updated_at: long } });

  const before = await scrape();
  expect(valueOf(before, 'gdx_pending_records', ofAcme)).toBe(3);
  // A new channel begins with everything stored: that has waited since the channel was made.
  expect(valueOf(before, 'gdx_freshness_seconds', ofAcme)).toBeLessThan(60);
  expect(valueOf(before, 'gdx_pending_records', { channel: 'fresh', entity_type: 'tickets' })).toBe(0);
  expect(valueOf(before, 'gdx_freshness_seconds', { channel: 'fresh', entity_type: 'tickets' })).toBe(0);
  expect(valueOf(before, 'gdx_mongodb_up')).toBe(1);

  await store.db.collection('channels').updateMany({}, { $set: { created_at: new Date(0) } });
  const waited = valueOf(await scrape(), 'gdx_freshness_seconds', ofAcme);
  expect(waited).toBeGreaterThan(3_600);
  expect(waited).toBeLessThan(3_660);

  const [tickets3] = (await listChannelMarkers(store, channel)).filter(
    (marker) => marker.entity_type === 'tickets',
  );
  expect(tickets3!.pending_records).toBe(3); // what `gdx marker show` says
});

test('a reset has waited since it was asked for, not since its records were stored', async () => {
  const top = await readCeiling(store, 'tickets');
  await ensureMarkers(store, 'acme', ['tickets']);
  await store.db
    .collection<{ _id: string }>('markers')
    .updateOne({ _id: 'acme/tickets' }, { $set: { position: top } });
  expect(valueOf(await scrape(), 'gdx_freshness_seconds', ofAcme)).toBe(0);
  await resetMarker(store, 'acme', 'tickets', { timestamp: new Date(0), floor: 0 });
  const samples = await scrape();
  expect(valueOf(samples, 'gdx_pending_records', ofAcme)).toBe(3);
  expect(valueOf(samples, 'gdx_freshness_seconds', ofAcme)).toBeLessThan(60);
});

test('a paused channel is counted, waits, and is not stale', async () => {
  await pauseChannel(store, 'acme', 'their disk is full');
  const samples = await scrape();
  expect(valueOf(samples, 'gdx_channels', { state: 'paused' })).toBe(1);
  expect(valueOf(samples, 'gdx_channels', { state: 'active' })).toBe(1);
  expect(valueOf(samples, 'gdx_pending_records', ofAcme)).toBe(3);
  expect(valueOf(samples, 'gdx_freshness_seconds', ofAcme)).toBeUndefined();
});

test('MongoDB that is away, or never answers: the page comes soon and says so', async () => {
  await scrape();
  const away = await connectStore({ uri: 'mongodb://127.0.0.1:1/x', secretKey: SECRET_KEY, appName: 'test' });
  const silent = () => new Promise<never>(() => {});
  for (const refresh of [createGaugeReader(away), createGaugeReader(store, silent)]) {
    const started = Date.now();
    await refresh();
    expect(Date.now() - started).toBeLessThan(4_500);
    const samples = readPage(await registry.metrics());
    expect(valueOf(samples, 'gdx_mongodb_up')).toBe(0);
    expect(valueOf(samples, 'gdx_pending_records', ofAcme)).toBeUndefined();
  }
  await away.client.close();
});

test('what was read is kept for a while when MongoDB goes, and read at most every 15 s', async () => {
  const began = Date.now();
  const waiting = { ...ofAcme, entity_type: 'tickets' as const, records: 5, since: null, paused: false };
  let reads = 0;
  const refresh = createGaugeReader(store, async () => {
    if (++reads > 1) throw new Error('away');
    return { at: began, states: [], alerts: [], waiting: [waiting] };
  });
  const clock = jest.spyOn(Date, 'now');
  const after = async (ms: number) => {
    clock.mockReturnValue(began + ms);
    await refresh();
    const samples = readPage(await registry.metrics());
    return [reads, valueOf(samples, 'gdx_pending_records', ofAcme), valueOf(samples, 'gdx_mongodb_up')];
  };
  expect(await after(0)).toEqual([1, 5, 1]);
  expect(await after(10_000)).toEqual([1, 5, 1]);
  expect(await after(60_000)).toEqual([2, 5, 0]);
  expect(await after(130_000)).toEqual([3, undefined, 0]);
  clock.mockRestore();
});
