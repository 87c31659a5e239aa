import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { addIntegration } from '../../store/callers/integrations';
import type { Store } from '../../store/store';
import { lazyClient } from '../../temporal/connect-temporal';
import { checkout } from '../../tools/local/checkout';
import { HISTORY_NAMES } from '../replay/histories';
import { type HistoryJson, readHistory, replay } from '../replay/replay';
import { addTestChannel } from '../setup/add-test-channel';
import { eventually } from '../setup/eventually';
import { FakeCustomer } from '../setup/fake-customer';
import { newDatabaseUri } from '../setup/open-store';
import { ownTemporalNamespace } from '../setup/own-temporal-namespace';
import { type Service, startService } from '../setup/processes';
import { temporaryFolder } from '../setup/temporary-folder';
import { runsOf } from '../workflows/read-history';
import { OtlpReceiver, type ReceivedSpan } from './otlp-receiver';
import { connectStoreAt } from '../setup/open-store-at';

// Real processes, and a collector that sees what they send.
const KEY = randomBytes(32);
const PHONE = '7015557391';
const CALLERS = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

let receiver: OtlpReceiver;
let customer: FakeCustomer;
let store: Store;
let token: string;
let env: Record<string, string>;

beforeAll(async () => {
  receiver = await OtlpReceiver.start();
  customer = await FakeCustomer.start();
  ownTemporalNamespace('traces');
  const uri = newDatabaseUri();
  env = {
    MONGODB_URI: uri,
    GDX_TASK_QUEUE: `t-${randomUUID()}`,
    GDX_SECRET_KEY: KEY.toString('base64'),
    NODE_OPTIONS: `--require ${sayWhatIsLoaded()}`,
  };
  store = await connectStoreAt(uri, { keys: { secretKey: KEY } });
});

/** A file that has a process say at its end whether it has loaded more of OpenTelemetry than the interface, which prom-client loads. */
function sayWhatIsLoaded(): string {
  const file = path.join(temporaryFolder('traces'), 'say-what-is-loaded.cjs');
  const loaded = 'Object.keys(require.cache).some((file) => /opentelemetry.(?!api.)/.test(file))';
  writeFileSync(file, `process.on('exit', () => console.log('the SDK is loaded: ' + ${loaded}))`);
  return file;
}

const on = () => ({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '100' });

const push = (api: Service, id: string, headers: Record<string, string>) =>
  fetch(`${api.url}/api/v1/push`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ data: [{ 'update-accounts': { accounts: [accountOf(id)] } }] }),
  });

/** Whoever pushes from now on. An API has to have prepared the store. */
async function becomeErp(name: string): Promise<void> {
  ({ token } = await addIntegration(store, { name, company: { id: '42', name: 'Prairie Co-op' } }));
}

const accountOf = (id: string) => ({ id, name: 'Plantedvale Farms', phones: [{ phone: PHONE }] });

const isOf =
  (request_id: string) =>
  ({ attributes }: ReceivedSpan) =>
    attributes['request_id'] === request_id;
const placeOf = ({ traceId, spanId }: ReceivedSpan) => ({ traceId, spanId });

test('off: the SDK of OpenTelemetry is not loaded, and no page and no record has a trace', async () => {
  const [api, worker] = await Promise.all([startService('api', env), startService('worker', env)]);
  await becomeErp('off');
  await addTestChannel(store, 'off', customer.baseUrl, { entity_types: ['accounts'], cadence_ms: 1_000 });
  const traceparent = `00-${CALLERS.traceId}-${CALLERS.spanId}-01`;
  expect((await push(api, '1', { traceparent })).status).toBe(204);
  await eventually(() => expect(customer.pages).toHaveLength(1), 60_000);
  expect(customer.pages[0]!.headers).not.toHaveProperty('traceparent');
  expect(await store.db.collection('accounts').countDocuments({ trace: { $exists: true } })).toBe(0);
  expect([await api.end(), await worker.end()]).toEqual([0, 0]);
  for (const { lines } of [api, worker]) expect(lines).toContain('the SDK is loaded: false');
  await store.db.collection<{ _id: string }>('channels').deleteOne({ _id: 'off' });
});

describe('on', () => {
  let api: Service;
  let worker: Service;
  let apiKey: string;
  let posted: FakeCustomer['pages'][number];

  beforeAll(async () => {
    [api, worker] = await Promise.all([startService('api', on()), startService('worker', on())]);
    await becomeErp('on');
    ({ apiKey } = await addTestChannel(store, 'acme', customer.baseUrl, { entity_types: ['accounts'] }));
    customer.pages.length = 0;
    const traceparent = `00-${CALLERS.traceId}-${CALLERS.spanId}-01`;
    expect((await push(api, '2', { traceparent, 'x-request-id': 'push-1' })).status).toBe(204);
    const reset = await fetch(`${api.url}/api/v1/channels/acme/markers/accounts/reset`, {
      method: 'POST',
      headers: { authorization: apiKey, 'content-type': 'application/json', 'x-request-id': 'reset-1' },
      body: JSON.stringify({ timestamp: '2020-01-01T00:00:00Z' }),
    });
    expect(reset.status).toBe(200);
    posted = await eventually(() => {
      const page = customer.pages.find(({ records }) => records.some(({ remote_id }) => remote_id === '2'));
      expect(page).toBeDefined();
      return page!;
    }, 60_000);
  });

  test('a push is in its caller’s trace, with its transaction; so is its line of the log', async () => {
    const request = await receiver.got('POST /api/v1/push', isOf('push-1'));
    expect(request).toMatchObject({
      ...{ service: 'gdx-api', kind: 2, traceId: CALLERS.traceId, parentSpanId: CALLERS.spanId },
      attributes: { 'http.route': '/api/v1/push', 'http.response.status_code': 204 },
    });
    const transaction = await receiver.got('transaction', (span) => span.parentSpanId === request.spanId);
    expect(transaction).toMatchObject({ traceId: CALLERS.traceId, attributes: { tries: 1 } });
    expect(JSON.parse(await api.heard('"request_id":"push-1"'))).toMatchObject({ trace_id: CALLERS.traceId });
  });

  test('what a request signals to Temporal is in its trace', async () => {
    const request = await receiver.got('POST /api/v1/channels/:channel_slug/markers/:entity_type/reset');
    const signal = await receiver.got('SignalWithStartWorkflow:channelFeed');
    expect(signal).toMatchObject({ traceId: request.traceId, parentSpanId: request.spanId });
  });

  test('a page is in its activity’s trace, names who asked for it, is linked to the push and tells its customer', async () => {
    const page = await receiver.got('POST /feed', ({ links }) =>
      links.some(({ traceId }) => traceId === CALLERS.traceId),
    );
    const activity = await receiver.got(
      'RunActivity:deliverPages',
      ({ spanId }) => spanId === page.parentSpanId,
    );
    expect(activity).toMatchObject({
      ...{ service: 'gdx-worker', traceId: page.traceId },
      attributes: { temporalWorkflowId: 'delivery/acme/accounts/1' },
    });
    expect(page).toMatchObject({
      kind: 3,
      attributes: {
        ...{ channel: 'acme', entity_type: 'accounts', delivery: 'delivery/acme/accounts/1' },
        ...{ request_id: posted.headers['x-request-id'], 'http.response.status_code': 200 },
      },
    });
    const request = await receiver.got('POST /api/v1/push', isOf('push-1'));
    expect(page.links).toEqual([placeOf(request)]);
    expect(posted.headers['traceparent']).toBe(`00-${page.traceId}-${page.spanId}-01`);
  });

  test('a page that is refused shows as failed', async () => {
    customer.script = () => 401;
    expect((await push(api, '3', { 'x-request-id': 'push-2' })).status).toBe(204);
    const reset = await fetch(`${api.url}/api/v1/channels/acme/markers/accounts/reset`, {
      method: 'POST',
      headers: { authorization: apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ timestamp: '2020-01-01T00:00:00Z' }),
    });
    expect(reset.status).toBe(200);
    const refused = await receiver.got(
      'POST /feed',
      ({ attributes }) => attributes['http.response.status_code'] === 401,
    );
    expect(refused.status).toBe(2);
  });

  test('a run with traces replays without, and every recorded history does; no workflow has an interceptor', async () => {
    const client = lazyClient({
      env: process.env,
      address: process.env.TEMPORAL_ADDRESS ?? '',
      namespace: process.env.TEMPORAL_NAMESPACE ?? '',
    });
    const ids = ['channel/acme', 'delivery/acme/accounts/1'];
    const traced = await Promise.all(
      ids.map(async (workflowId) => {
        const [run] = await runsOf(client, workflowId);
        const json = historyToJSON({ events: run!.events });
        return { workflowId, history: JSON.parse(json) as HistoryJson };
      }),
    );
    const recorded = HISTORY_NAMES.map((name) => ({ workflowId: name, history: readHistory(name) }));
    const results = await replay([...traced, ...recorded]);
    expect([...results].filter(([, error]) => error)).toEqual([]);
    expect(results.size).toBe(traced.length + recorded.length);
    const bundle = readFileSync(path.join(checkout, 'dist/worker/workflows.bundle.js'), 'utf8');
    expect(/importInterceptors\(\) \{\s*return \[([^\]]*)\]/.exec(bundle)![1]!.trim()).toBe('');
    await client.connection.close();
  });

  test('no span holds a token, a name or a phone; what is left is sent at the end, and then it was loaded', async () => {
    const before = receiver.spans.length;
    expect((await push(api, '4', { 'x-request-id': 'push-3' })).status).toBe(204);
    expect([await api.end(), await worker.end()]).toEqual([0, 0]);
    expect(receiver.spans.slice(before).some(isOf('push-3'))).toBe(true);
    for (const secret of [token, apiKey, PHONE, 'Plantedvale'])
      expect(receiver.written).not.toContain(secret);
    for (const { lines } of [api, worker]) expect(lines).toContain('the SDK is loaded: true');
  });
});

test('a collector that is away is said in one line, and hinders nobody', async () => {
  const away = { ...on(), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_BSP_SCHEDULE_DELAY: '10' };
  const api = await startService('api', away);
  await becomeErp('away');
  for (const id of ['5', '6', '7']) expect((await push(api, id, {})).status).toBe(204);
  await api.heard('traces are not sent');
  expect(await api.end()).toBe(0);
  expect(api.lines.filter((line) => line.includes('traces are not sent'))).toHaveLength(1);
});
