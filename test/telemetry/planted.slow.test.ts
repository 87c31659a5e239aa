import { randomBytes, randomUUID } from 'node:crypto';
import { createChannelClient } from '../../temporal/channel-client';
import { lazyClient } from '../../temporal/connect-temporal';
import { findDeliveries } from '../../store/deliveries/deliveries';
import { addIntegration } from '../../store/callers/integrations';
import { closeStore } from '../../store/connect';
import type { Store } from '../../store/store';

import { addFarmersChannel, linkTo } from '../farmer/start-farmers';
import { Visitor } from '../farmer/visitor';
import { addTestChannel } from '../setup/add-test-channel';
import { eventually } from '../setup/eventually';
import { FakeCustomer } from '../setup/fake-customer';
import { newDatabaseUri } from '../setup/open-store';
import { ownTemporalNamespace } from '../setup/own-temporal-namespace';
import { type Service, startService } from '../setup/processes';
import { registry } from '../../telemetry/instruments';
import { namesOf, OF_THE_SDK, readPage, valueOf } from './page';
import { connectStoreAt } from '../setup/open-store-at';

const PHONE = '7015557391';
const FARM = 'Plantedvale Farms';
const AUTHORIZATION = 'Basic planted-authorization';
const KEY = randomBytes(32);
const LENDER = `lender-${randomBytes(4).toString('hex')}`;
const ACME = `acme-${randomBytes(4).toString('hex')}`;

let store: Store;
let api: Service;
let worker: Service;
let customer: FakeCustomer;
let temporal: ReturnType<typeof createChannelClient>;
let token: string;
let opened: { apiKey: string; signingSecret: string };

beforeAll(async () => {
  const namespace = ownTemporalNamespace('metrics');
  const uri = newDatabaseUri();
  const env = {
    MONGODB_URI: uri,
    GDX_TASK_QUEUE: `t-${randomUUID()}`,
    GDX_SECRET_KEY: KEY.toString('base64'),
    LOG_LEVEL: 'trace',
  };
  store = await connectStoreAt(uri, { keys: { secretKey: KEY } });
  [api, worker] = await Promise.all([startService('api', env), startService('worker', env)]);
  ({ token } = await addIntegration(store, { name: 'agris', company: { id: '42', name: 'Prairie Co-op' } }));
  // A customer whose error page repeats all that it was sent.
  customer = await FakeCustomer.start(({ headers, body }) => ({
    status: 401,
    body: `${headers.authorization} ${body}`,
  }));
  const settings = { authorization: AUTHORIZATION };
  opened = await addTestChannel(store, ACME, customer.baseUrl, settings);
  await addFarmersChannel({ store }, LENDER);
  const address = process.env.TEMPORAL_ADDRESS as string;
  temporal = createChannelClient(
    lazyClient({ env: process.env, address, namespace }),
    env.GDX_TASK_QUEUE,
    20_000,
  );
});

afterAll(async () => {
  for (const slug of [ACME, LENDER]) await temporal.stop(slug).catch(() => {});
  await Promise.all([temporal.close(), customer.stop(), closeStore(store)]);
});

async function push(body: string, authorization = token): Promise<number> {
  const headers = { authorization, 'content-type': 'application/json' };
  return (await fetch(`${api.url}/api/v1/push`, { method: 'POST', headers, body })).status;
}

const pageOf = async ({ metricsUrl }: Service) => (await fetch(`${metricsUrl}/metrics`)).text();
/** With the figures of the database, where the first reading was not done in time. */
const figuresOf = (service: Service) =>
  eventually(async () => {
    const page = await pageOf(service);
    expect(valueOf(readPage(page), 'gdx_mongodb_up')).toBe(1);
    return page;
  });

const PUSHES = 'http_server_request_duration_seconds_count';
const OF_PUSHES = { route: 'POST /api/v1/push' };

test('tokens, phones, secrets and records are in no log line and no metric; every metric is there', async () => {
  const account = { id: '1', name: FARM, phones: [{ phone: PHONE }] };
  const accounts = (one: object) => JSON.stringify({ data: [{ 'update-accounts': { accounts: [one] } }] });
  expect(await push(accounts(account))).toBe(204);
  expect(await push(accounts(account))).toBe(204);
  expect(await push(accounts({ ...account, deleted_at: PHONE, name: null }))).toBe(422);
  expect(await push(`{ "data": "${FARM} ${PHONE}`)).toBe(400);
  expect(await push(accounts(account), `gdx_erp_${PHONE}planted`)).toBe(401);
  const visitor = new Visitor(Number(new URL(api.url).port));
  await visitor.get(linkTo({ phone: PHONE, partner_slug: LENDER }));
  await visitor.submit({});
  await visitor.submit({ code: '000000' });
  await fetch(`${api.url}/api/v1/channels/${ACME}/markers`, { headers: { authorization: opened.apiKey } });

  expect(await temporal.deliverNow(ACME, { request_id: randomUUID() })).toBe(true);
  await eventually(async () => {
    const [failed] = await findDeliveries(store, ACME, { status: 'failed', limit: 1 });
    expect(failed?.failure).toBe('unauthorized');
  }, 60_000);
  // It is counted before it is logged.
  await eventually(() => expect(worker.lines.some((line) => line.includes('"delivery failed"'))).toBe(true));
  const pages = await Promise.all([figuresOf(api), figuresOf(worker)]);
  expect([await api.end(), await worker.end()]).toEqual([0, 0]);

  const [ofApi, ofWorker] = pages.map(readPage);
  // With what the rules and the dashboard take (test/deploy/observability.test.ts).
  const ours = (await registry.getMetricsAsJSON()).map(({ name }) => name);
  for (const page of pages) expect(namesOf(page)).toEqual(expect.arrayContaining(ours));
  const beforeAnyFails = OF_THE_SDK.filter((name) => !name.includes('failure'));
  expect(namesOf(pages[1]!)).toEqual(expect.arrayContaining(beforeAnyFails));
  const told = (samples: typeof ofApi, name: string, labels = {}) => valueOf(samples!, name, labels);
  expect(told(ofApi, PUSHES, { ...OF_PUSHES, status: '204' })).toBe(2);
  expect(told(ofApi, PUSHES, { ...OF_PUSHES, status: '422' })).toBe(1);
  expect(told(ofApi, PUSHES, { ...OF_PUSHES, status: '400' })).toBe(1);
  expect(told(ofApi, PUSHES, { ...OF_PUSHES, status: '401' })).toBe(1);
  expect(told(ofApi, 'gdx_push_records_total', { status: 'changed' })).toBe(1);
  expect(told(ofApi, 'gdx_push_records_total', { status: 'unchanged' })).toBe(1);
  expect(told(ofApi, 'gdx_sign_in_codes_total', { status: 'sent' })).toBe(1);
  expect(told(ofApi, 'gdx_sign_in_codes_total', { status: 'wrong' })).toBe(1);
  const ofAccounts = { channel: ACME, entity_type: 'accounts' };
  expect(told(ofWorker, 'gdx_deliveries_total', { ...ofAccounts, status: 'failed' })).toBe(1);
  expect(
    told(ofWorker, 'gdx_delivery_duration_seconds_count', { entity_type: 'accounts', status: 'failed' }),
  ).toBe(1);
  expect(told(ofWorker, 'gdx_attempts_total', { class: 'unauthorized' })).toBeGreaterThan(0);
  expect(told(ofApi, 'gdx_push_group_pushes_sum')).toBe(2);
  expect(told(ofWorker, 'gdx_pending_records', ofAccounts)).toBe(1);
  expect(told(ofApi, 'gdx_pending_records', ofAccounts)).toBe(1);
  expect(told(ofWorker, 'gdx_freshness_seconds', ofAccounts)).toBeGreaterThan(0);
  expect(ofWorker!.some(({ name }) => name.startsWith('temporal_workflow_task_queue_poll'))).toBe(true);

  const written = [...api.lines, ...worker.lines, ...pages].join('\n');
  // The console provider tells a code in the log outside production; nothing else may.
  expect(api.lines.length + worker.lines.length).toBeGreaterThan(12);
  const planted = [PHONE, '701-555-7391', '(701) 555-7391', 'Plantedvale', 'planted', token, opened.apiKey];
  const secrets = [
    opened.signingSecret,
    opened.signingSecret.slice(6),
    KEY.toString('base64'),
    KEY.toString('hex'),
  ];
  for (const secret of [...planted, ...secrets]) expect(written).not.toContain(secret);
});

test('one wide line a request and a delivery, with what ties them together', async () => {
  const lines = (lines: string[], msg: RegExp) =>
    lines
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
      .filter((line) => msg.test(line.msg));
  const requests = lines(api.lines, /^request$/);
  const pushes = requests.filter(({ path }) => path === '/api/v1/push');
  expect(pushes.map(({ status }) => status)).toEqual([204, 204, 422, 400, 401]);
  for (const line of requests)
    expect(line).toMatchObject({
      ...{ level: 'info', service: 'gdx-api', version: expect.stringMatching(/^\d+\./) },
      request_id: expect.stringMatching(/^[\w-]{36}$/),
    });
  const [delivery] = lines(worker.lines, /^delivery failed$/);
  expect(delivery).toMatchObject({
    ...{ level: 'warn', service: 'gdx-worker' },
    delivery: `delivery/${ACME}/accounts/1`,
    channel: ACME,
    entity_type: 'accounts',
    status: 'failed',
    failure: 'unauthorized',
    attempts: expect.any(Number),
    duration_ms: expect.any(Number),
  });
});
