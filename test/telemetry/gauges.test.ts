import { EventEmitter } from 'node:events';
import type { MongoClient } from 'mongodb';
import { createGaugeReader } from '../../telemetry/read-gauges';
import { registry } from '../../telemetry/instruments';
import { raiseAlert, resolveAlert } from '../../store/alerts/alerts';
import { type Channel, pauseChannel } from '../../store/channels/channels';
import { closeStore, pingStore } from '../../store/connect';
import { lazyClient } from '../../temporal/connect-temporal';
import type { Store } from '../../store/store';
import { ensureMarkers, type Marker } from '../../store/markers/markers';
import { listChannelMarkers } from '../../store/markers/list-channel-markers';
import { moveMarkerBack } from '../../store/markers/reset-channel-marker';
import { addTestChannel } from '../setup/add-test-channel';
import { watchCommands } from '../bench/count-commands';
import { databaseUriOf, emptyStore } from '../setup/open-store';
import { openStoreAt } from '../setup/open-store-at';
import { storeAway } from '../api/start-api';
import { pushRecords } from '../setup/push-records';
import { readPage, type Sample, valueOf } from './page';
import { slowTest, nightlyTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import {
  countChanges,
  countMongodbFailures,
  countPushRecords,
  countRequest,
  countTemporalFailure,
} from '../../telemetry/counts';
import pino from 'pino';
import { serveMetrics } from '../../telemetry/serve-metrics';

describe('gauges', () => {
  let store: Store;
  let channel: Channel;

  beforeAll(async () => {
    store = await emptyStore();
    await pushRecords(store, { tickets: tickets(1, 3) });
    ({ channel } = await addTestChannel(store, 'acme', 'https://acme.example'));
    await ensureMarkers(store, 'acme', ['tickets']);
  });

  const tickets = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => ({ id: `${from + index}`, account_id: '7' }));

  /** The samples as the page has them now. A reading that takes more than 2 s is told by the next one. */
  async function scrape() {
    const read = createGaugeReader(store);
    return eventually(async () => {
      await read();
      const samples = readPage(await registry.metrics());
      expect(valueOf(samples, 'gdx_mongodb_up')).toBe(1);
      return samples;
    });
  }

  const ofAcme = { channel: 'acme', entity_type: 'tickets' };

  interface Planned {
    records: number;
    to: number;
    since?: Date;
    at?: Date;
  }

  /** What a plan has found above acme's marker of tickets. */
  const plan = ({ records, to, since = new Date(), at = new Date() }: Planned) =>
    setMarker({ found: { records, to, since, at, more: false } });

  const setMarker = (set: Partial<Marker>) =>
    store.db.collection<Marker>('markers').updateOne({ _id: 'acme/tickets' }, { $set: set });
  const setChannel = (set: Partial<Channel>) =>
    store.db.collection<Channel>('channels').updateOne({ _id: 'acme' }, { $set: set });

  const pending = (samples: Sample[]) => valueOf(samples, 'gdx_pending_records', ofAcme);
  const waited = (samples: Sample[]) => valueOf(samples, 'gdx_freshness_seconds', ofAcme);

  const HOUR_MS = 3_600_000;
  const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS);

  test('pending and freshness: the findings of the last plan, less the records confirmed since', async () => {
    const unplanned = await scrape();
    expect([pending(unplanned), waited(unplanned)]).toEqual([0, 0]);
    expect(valueOf(unplanned, 'gdx_mongodb_up')).toBe(1);
    const [tickets3] = (await listChannelMarkers(store, channel)).filter(
      (marker) => marker.entity_type === 'tickets',
    );
    expect(tickets3!.pending_records).toBe(3); // counted now: what `gdx marker show` says

    await plan({ records: 3, to: 3, since: ago(1) });
    const planned = await scrape();
    expect(pending(planned)).toBe(3);
    // A new channel begins with everything stored: that has waited since the channel was made.
    expect(waited(planned)).toBeLessThan(60);

    await setChannel({ created_at: new Date(0) });
    expect(waited(await scrape())).toBeCloseTo(3_600, -2);

    await setMarker({ position: 2, timestamp: ago(0.5), 'found.records': 1 } as Partial<Marker>);
    const halfway = await scrape();
    expect(pending(halfway)).toBe(1);
    expect(waited(halfway)).toBeCloseTo(1_800, -2);

    await setMarker({ position: 3 });
    const confirmed = await scrape();
    expect([pending(confirmed), waited(confirmed)]).toEqual([0, 0]);
  });

  test('what waits longer than the cadence and five minutes is late, unless the customer keeps it waiting', async () => {
    const late = async () => valueOf(await scrape(), 'gdx_changes_late', ofAcme);
    await setChannel({ cadence_ms: HOUR_MS, created_at: new Date(0) });
    await setMarker({ position: 0, high: 0, timestamp: null } as Partial<Marker>);
    await plan({ records: 3, to: 3, since: ago(1) });
    expect(await late()).toBe(0);
    await plan({ records: 3, to: 3, since: ago(1.1) });
    expect(await late()).toBe(3);
    await setMarker({ held_until: ago(0.2) });
    expect(await late()).toBe(0);
    await setMarker({ held_until: ago(1.5) });
    expect(await late()).toBe(3);
    await setMarker({ high: 3 }); // a reset sends them again
    expect(await late()).toBe(0);
    await setMarker({ position: 3 });
  });

  test('changes that no plan has looked at for two runs wait since the last one', async () => {
    await pushRecords(store, { tickets: tickets(4, 4) });
    await setChannel({ cadence_ms: HOUR_MS, created_at: new Date(0) });
    await plan({ records: 0, to: 3, at: ago(1.5) });
    await setMarker({ position: 3, delivered_at: ago(3) });
    expect(waited(await scrape())).toBe(0);
    await plan({ records: 0, to: 3, at: ago(2.5) });
    const samples = await scrape();
    expect(pending(samples)).toBe(0);
    expect(waited(samples)).toBeCloseTo(9_000, -2);
    expect(valueOf(samples, 'gdx_changes_late', ofAcme)).toBe(1);
    await setChannel({ fresh_at: ago(1.5) }); // a plan that found nothing to look at: this has come since
    expect(waited(await scrape())).toBe(0);
  });

  test('a reset waits since it was asked for, not since its records were stored', async () => {
    await moveMarkerBack(store, 'acme', 'tickets', { timestamp: new Date(0), floor: 0 });
    const reset = await scrape();
    expect([pending(reset), waited(reset)]).toEqual([0, 0]); // until it is planned, some seconds later
    await plan({ records: 4, to: 4, since: ago(1) });
    const planned = await scrape();
    expect(pending(planned)).toBe(4);
    expect(waited(planned)).toBeLessThan(60);
  });

  test('a resolved alert leaves the next page, and alerts of other channels stay', async () => {
    const began = performance.now();
    const open = [
      { channel: 'acme', class: 'unauthorized' as const },
      { channel: 'acme', class: 'stale' as const },
      { channel: 'bank', class: 'stale' as const },
    ];
    let alerts = open;
    const refresh = createGaugeReader(store, async () => ({ at: began, states: [], waiting: [], alerts }));
    const clock = jest.spyOn(performance, 'now');
    const shownAfter = async (ms: number) => {
      clock.mockReturnValue(began + ms);
      await refresh();
      const samples = readPage(await registry.metrics());
      return open.map((labels) => valueOf(samples, 'gdx_alerts_open', labels));
    };
    expect(await shownAfter(0)).toEqual([1, 1, 1]);
    alerts = open.slice(2);
    expect(await shownAfter(20_000)).toEqual([undefined, undefined, 1]);
    clock.mockRestore();
  });

  test('of the alerts that are stored the open ones are shown', async () => {
    const raise = (kind: 'stale' | 'codes') =>
      raiseAlert(
        store,
        { channel: 'bison', class: kind, subject: undefined, message: 'nothing was sent' },
        new Date(),
      );
    await resolveAlert(store, (await raise('stale')).id, 'it is over', new Date());
    await raise('codes');
    const samples = await scrape();
    const shown = (kind: string) => valueOf(samples, 'gdx_alerts_open', { channel: 'bison', class: kind });
    expect([shown('stale'), shown('codes')]).toEqual([undefined, 1]);
  });

  test('a scrape reads no records, however much waits', async () => {
    const monitored = await openStoreAt(databaseUriOf(store), { monitored: true });
    const sent = await watchCommands(monitored, createGaugeReader(monitored));
    await closeStore(monitored);
    const read = sent.map(({ name, collection }) => `${name} ${collection}`).sort();
    expect(read).toEqual(['find alerts', 'find channels', 'find counters', 'find markers']);
  });

  test('a paused channel is counted, waits, and is not stale', async () => {
    await plan({ records: 4, to: 4, since: ago(1) });
    await pauseChannel(store, 'acme', 'their disk is full');
    const samples = await scrape();
    expect(valueOf(samples, 'gdx_channels', { state: 'paused' })).toBe(1);
    expect(valueOf(samples, 'gdx_channels', { state: 'active' })).toBe(0);
    expect(pending(samples)).toBe(4);
    expect(valueOf(samples, 'gdx_freshness_seconds', ofAcme)).toBeUndefined();
  });

  slowTest(
    'MongoDB that is away, or never answers: the page comes before a scrape gives up and says so',
    async () => {
      await scrape();
      const away = await storeAway();
      const silent = () => new Promise<never>(() => {});
      for (const refresh of [createGaugeReader(away), createGaugeReader(store, silent)]) {
        const started = Date.now();
        await refresh();
        expect(Date.now() - started).toBeLessThan(9_000);
        const samples = readPage(await registry.metrics());
        expect(valueOf(samples, 'gdx_mongodb_up')).toBe(0);
        expect(valueOf(samples, 'gdx_pending_records', ofAcme)).toBeUndefined();
      }
      await away.client.close();
    },
  );

  test('the figures are kept for a while when MongoDB goes, and read at most every 15 s', async () => {
    const began = performance.now();
    const late = { records: 0, since: null };
    const waiting = {
      ...{ ...ofAcme, entity_type: 'tickets' as const, records: 5, since: null, paused: false },
      ...{ late, lateness: undefined },
    };
    let reads = 0;
    const refresh = createGaugeReader(store, async () => {
      if (++reads > 1) throw new Error('away');
      return { at: began, states: [], alerts: [], waiting: [waiting] };
    });
    const clock = jest.spyOn(performance, 'now');
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

  nightlyTest(
    'while MongoDB does not answer at all, what was read two minutes ago is shown no longer',
    async () => {
      const began = performance.now();
      let reads = 0;
      const refresh = createGaugeReader(store, async () => {
        if (++reads > 1) await new Promise<never>(() => {});
        return { at: began, states: ['active'], alerts: [], waiting: [] };
      });
      const clock = jest.spyOn(performance, 'now');
      const shown = [];
      for (const ms of [0, 130_000]) {
        clock.mockReturnValue(began + ms);
        await refresh();
        const samples = readPage(await registry.metrics());
        shown.push([
          valueOf(samples, 'gdx_channels', { state: 'active' }),
          valueOf(samples, 'gdx_mongodb_up'),
        ]);
      }
      clock.mockRestore();
      expect(shown).toEqual([
        [1, 1],
        [undefined, 0],
      ]);
    },
  );
});

describe('counts', () => {
  test('changed and unchanged records are counted apart, and requests by route and status', async () => {
    countPushRecords({ changed: 3, unchanged: 2 });
    countPushRecords({ changed: 1, unchanged: 0 });
    for (const status of [204, 422, 204]) countRequest('POST', '/api/v1/push', { status, seconds: 0.2 });
    countRequest('GET', undefined, { status: 404, seconds: 0.1 });
    const samples = readPage(await registry.metrics());
    const ofRecords = (status: string) => valueOf(samples, 'gdx_push_records_total', { status });
    const COUNT = 'http_server_request_duration_seconds_count';
    const ofPushes = (status: string) => valueOf(samples, COUNT, { route: 'POST /api/v1/push', status });
    expect([ofRecords('changed'), ofRecords('unchanged')]).toEqual([4, 2]);
    expect([ofPushes('204'), ofPushes('422')]).toEqual([2, 1]);
    expect(valueOf(samples, COUNT, { route: 'unmatched', status: '404' })).toBe(1);
    const sum = 'http_server_request_duration_seconds_sum';
    expect(valueOf(samples, sum, { route: 'POST /api/v1/push', status: '204' })).toBeCloseTo(0.4);
  });
});

describe('changes', () => {
  test('the changes of a page are counted one by one, in the bucket of each wait', async () => {
    const waits = [
      { seconds: 0.5, records: 600 },
      { seconds: 15, records: 399 },
      { seconds: 100_000, records: 1 },
    ];
    countChanges('acme', { waits, records: 1_000, late: 1 });
    const samples = readPage(await registry.metrics());
    const upTo = (le: string) => valueOf(samples, 'gdx_change_confirmed_seconds_bucket', { le });
    expect(['1', '5', '15', '86700', '+Inf'].map(upTo)).toEqual([600, 600, 999, 999, 1_000]);
    expect(valueOf(samples, 'gdx_change_confirmed_seconds_count')).toBe(1_000);
    expect(valueOf(samples, 'gdx_change_confirmed_seconds_sum')).toBe(600 * 0.5 + 399 * 15 + 100_000);
    const share = { channel: 'acme', on_time: 'no' };
    expect(valueOf(samples, 'gdx_changes_confirmed_total', share)).toBe(1);
  });
});

describe('failures', () => {
  test('each kind of MongoDB is shown before its first one, so that a rate sees it', async () => {
    countMongodbFailures({ client: new EventEmitter() as MongoClient });
    const samples = readPage(await registry.metrics());
    const kinds = ['pool_cleared', 'check_out', 'heartbeat'];
    expect(kinds.map((kind) => valueOf(samples, 'gdx_mongodb_failures_total', { kind }))).toEqual([0, 0, 0]);
  });

  test('a request to MongoDB or Temporal that gets no answer is counted', async () => {
    const away = await storeAway();
    countMongodbFailures(away);
    const address = '127.0.0.1:1';
    const client = lazyClient({ env: {}, address, namespace: 'none' }, countTemporalFailure);
    const asked = client.withDeadline(Date.now() + 500, () => client.workflowService.getSystemInfo({}));
    await expect(asked).rejects.toThrow();
    const pinged = pingStore(away).catch((error: Error) => error);
    await eventually(async () => {
      const samples = readPage(await registry.metrics());
      expect(valueOf(samples, 'gdx_temporal_failures_total')).toBeGreaterThan(0);
      expect(valueOf(samples, 'gdx_mongodb_failures_total', { kind: 'heartbeat' })).toBeGreaterThan(0);
    });
    await Promise.all([closeStore(away), client.connection.close()]);
    expect(await pinged).toBeInstanceOf(Error);
  });
});

describe('serve metrics', () => {
  // The rest, and the worker's process: test/telemetry/serve.slow.test.ts.

  test('figures that cannot be read are answered 500, and the next question is answered', async () => {
    let isBroken = true;
    const server = await serveMetrics({
      host: '127.0.0.1',
      port: 0,
      log: pino({ level: 'silent' }),
      refresh: async () => {
        if (isBroken) throw new Error('broken');
      },
    });
    const status = async () => {
      const signal = AbortSignal.timeout(5_000);
      return (await fetch(`http://127.0.0.1:${server!.port}/metrics`, { signal })).status;
    };
    try {
      expect(await status()).toBe(500);
      isBroken = false;
      expect(await status()).toBe(200);
    } finally {
      await server!.close();
    }
  });
});
