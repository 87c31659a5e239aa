import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { endings } from '../../store/callers/endings';
import { addIntegration } from '../../store/callers/integrations';
import { takePositions } from '../../store/records/counters';
import { addHashKey } from '../../store/secrets/hash-key';
import { addOperator } from '../../store/callers/operators';
import { channels, findEvenClosed } from '../../store/channels/channels';
import { closeStore } from '../../store/connect';
import { findDeliveries } from '../../store/deliveries/deliveries';
import { closeIntegration } from '../../store/sharing/close-integration';
import type { Store } from '../../store/store';
import { createChannelClient } from '../../temporal/channel-client';
import { lazyClient } from '../../temporal/connect-temporal';
import { checkout } from '../../tools/local/checkout';
import { AlertReceiver } from '../alerts/alert-receiver';
import { addFarmersChannel, linkTo, PHONE } from '../farmer/start-farmers';
import { Visitor } from '../farmer/visitor';
import { addTestChannel } from '../setup/add-test-channel';
import { eventually } from '../setup/eventually';
import { FakeCustomer, type ReceivedPage, type Reply } from '../setup/fake-customer';
import { OpsBrowser } from '../ops/ops-browser';
import { newDatabaseUri, openStore } from '../setup/open-store';
import { ownTemporalNamespace } from '../setup/own-temporal-namespace';
import { type Service, startService } from '../setup/processes';
import { temporaryFolder } from '../setup/temporary-folder';

// The stand-ins for MongoDB have no access control: what the real processes ask of it is compared with their roles.
type Roles = Record<string, Record<string, string[]>>;
const ROLES = JSON.parse(readFileSync(path.join(checkout, 'deploy/mongodb-roles.json'), 'utf8')) as Roles;

interface Sent {
  commandName: string;
  target: string | number;
  upserts: boolean;
  changes: boolean;
  removes: boolean;
}

const ACTIONS: Record<string, string[]> = {
  find: ['find'],
  aggregate: ['find'],
  count: ['find'],
  distinct: ['find'],
  getMore: ['find'],
  insert: ['insert'],
  update: ['update'],
  delete: ['remove'],
  findAndModify: ['find'],
  listIndexes: ['listIndexes'],
};
// Anybody may, or on the whole database.
const FREE = new Set([
  'hello',
  'ping',
  'buildInfo',
  'endSessions',
  'commitTransaction',
  'abortTransaction',
  'killCursors',
  'dbStats',
]);

/** `collection action`, as a role names it. */
function rightsOf({ commandName, target, upserts, changes, removes }: Sent): string[] {
  if (commandName === 'listCollections') return ['* listCollections'];
  if (commandName === 'listIndexes') return ['* listIndexes'];
  const actions = [
    ...(ACTIONS[commandName] ?? [commandName]),
    ...(upserts ? ['insert'] : []),
    ...(commandName === 'findAndModify' ? [removes ? 'remove' : 'update'] : []),
    ...(commandName === 'findAndModify' && changes ? ['update'] : []),
  ];
  return actions.map((action) => `${target} ${action}`);
}

const granted = (role: string) =>
  Object.entries(ROLES[role]!).flatMap(([collection, actions]) =>
    actions.map((action) => `${collection} ${action}`),
  );

const LENDER = `lender-${randomUUID().slice(0, 8)}`;
const ACME = `acme-${randomUUID().slice(0, 8)}`;
const PULLER = `puller-${randomUUID().slice(0, 8)}`;
const folder = temporaryFolder('roles');

let store: Store;
let api: Service;
let worker: Service;
let customer: FakeCustomer;
let alerts: AlertReceiver;
let temporal: ReturnType<typeof createChannelClient>;

beforeAll(async () => {
  const namespace = ownTemporalNamespace('roles');
  const uri = newDatabaseUri();
  store = await openStore(uri);
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  alerts = await AlertReceiver.start(() => secret);
  const start = (name: 'api' | 'worker') => {
    const file = path.join(folder, name);
    writeFileSync(file, '');
    return startService(name, {
      MONGODB_URI: `${uri}${uri.includes('?') ? '&' : '?'}monitorCommands=true`,
      GDX_TASK_QUEUE: `roles-${process.pid}`,
      GDX_ALERT_WEBHOOK_URL: alerts.url,
      GDX_ALERT_SECRET: secret,
      GDX_RECONCILE_SECONDS: '2',
      NODE_OPTIONS: `--import ${path.join(__dirname, 'record-commands.mjs')}`,
      RECORD_COMMANDS: file,
    });
  };
  [api, worker] = await Promise.all([start('api'), start('worker')]);
  customer = await FakeCustomer.start();
  const address = process.env.TEMPORAL_ADDRESS as string;
  temporal = createChannelClient(
    lazyClient({ env: process.env, address, namespace }),
    `roles-${process.pid}`,
    20_000,
  );
});
afterAll(async () => {
  for (const slug of [ACME, LENDER, PULLER]) await temporal.stop(slug).catch(() => {});
  await Promise.all([temporal.close(), customer.stop(), alerts.stop(), closeStore(store)]);
});

const sentBy = (name: string): Sent[] =>
  readFileSync(path.join(folder, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Sent)
    .filter(({ commandName }) => !FREE.has(commandName));

async function call(method: string, route: string, authorization: string, body?: object): Promise<number> {
  const headers = { authorization, ...(body && { 'content-type': 'application/json' }) };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return (await fetch(`${api.url}${route}`, init)).status;
}

async function push(token: string, name: string): Promise<void> {
  const records = ['1', '2'].map((id) => ({ id, account_id: '1', memo: name }));
  const data = [
    { 'update-elevators': { elevators: [{ id: '9', name }] } },
    {
      'update-accounts': {
        accounts: [{ id: '1', name, phones: [{ phone: PHONE }] }],
        complete_through: '2026-11-30',
      },
    },
    ...['contracts', 'tickets', 'settlements'].map((type) => ({ [`update-${type}`]: { [type]: records } })),
  ];
  expect(await call('POST', '/api/v1/push', token, { data })).toBe(204);
}

/** A push that meets another process, and one that then waits for its turn. */
async function pushBehindAnother(token: string): Promise<void> {
  await store.client.withSession(async (session) => {
    session.startTransaction();
    await takePositions(store, 'accounts', 1, session);
    const behind = push(token, 'behind');
    await setTimeout(1_000);
    await session.commitTransaction();
    await behind;
  });
  await push(token, 'in turn');
}

/** The code is shown on the page outside production. */
async function shareAsFarmer(): Promise<void> {
  const visitor = new Visitor(Number(new URL(api.url).port));
  await visitor.get(linkTo({ partner_slug: LENDER }));
  await visitor.submit({});
  await visitor.submit({ code: '000000' });
  await visitor.submit({ code: /\b(\d{6})\b/.exec(visitor.page.html.replace(/000000/g, ''))?.[1] ?? '' });
  expect(visitor.page.path).toBe('/subscriptions/accounts');
  await visitor.submit({ account: ['42-1'] });
  await visitor.submit({ do: 'save' });
  await visitor.get('/subscriptions/receipt');
  await visitor.get('/subscriptions/accounts');
  await visitor.submit({ account: [] });
  await visitor.submit({ do: 'save' });
}

async function actAsOperator(token: string): Promise<void> {
  const browser = new OpsBrowser(Number(new URL(api.url).port));
  const to = `/ops/channels/${ACME}`;
  await browser.get('/ops/sign-in');
  await browser.submit('/ops/sign-in', { token });
  for (const verb of ['pause', 'resume']) {
    await browser.get(to);
    await browser.submit(`${to}/${verb}`, { reason: 'a walk' });
  }
  await browser.get(to);
  await browser.submit(`${to}/release`, { reason: 'a walk', which: 'all' });
  await browser.get(`/ops/channels/${PULLER}/close`);
  await browser.submit(`/ops/channels/${PULLER}/close`, { reason: 'a walk' });
  const closedLongAgo = { $set: { 'closed.at': new Date(Date.now() - 3_600_000) } };
  await channels(store).updateOne({ _id: PULLER, state: 'closed' }, closedLongAgo);
  await eventually(
    async () => expect((await findEvenClosed(store, PULLER))?.closed?.forgotten_at).toBeInstanceOf(Date),
    60_000,
  );
  await browser.get('/ops');
  await browser.submit('/ops/sign-out');
}

/** A customer on its own page, and one who collects its pages. */
async function actAsCustomer(key: string): Promise<void> {
  const browser = new OpsBrowser(Number(new URL(api.url).port));
  await browser.get('/customer/sign-in');
  await browser.submit('/customer/sign-in', { token: key });
  await browser.get('/customer');
  const [notify_url] = alerts.url.split('?');
  await browser.submit('/customer/notify', { reason: 'a walk', notify_url: notify_url! });
  await browser.submit('/customer/sign-out');
  const channel = `/api/v1/channels/${ACME}`;
  expect(await call('GET', `${channel}/digest?entity_type=tickets`, key)).toBe(200);
  const some = { entity_type: 'tickets', ids: ['42-1'] };
  expect(await call('POST', `${channel}/resend`, key, some)).toBe(200);
}

async function collect(): Promise<void> {
  const { apiKey: authorization } = await addTestChannel(store, PULLER, '', { delivery: 'pull' });
  const feed = `/api/v1/channels/${PULLER}/feed`;
  const next = async () => {
    // As a customer does: 503 where the worker has laid out no page within ten seconds, beside a busy machine.
    const answer = await eventually(async () => {
      const asked = await fetch(`${api.url}${feed}?entity_type=tickets`, { headers: { authorization } });
      expect(asked.status).toBe(200);
      return asked;
    });
    const { data } = (await answer.json()) as { data: { ticket: { id: string } }[] };
    const page = answer.headers.get('webhook-id');
    expect(await call('POST', `${feed}/confirm`, authorization, { page })).toBe(204);
    return data.map(({ ticket }) => ticket.id);
  };
  const again = { entity_type: 'tickets', ids: await next() };
  expect(await call('POST', `/api/v1/channels/${PULLER}/resend`, authorization, again)).toBe(200);
  expect(await next()).toEqual(again.ids);
}

const refusing = ({ records }: ReceivedPage): Reply =>
  records.some(({ remote_id }) => remote_id === '2') ? { status: 422, body: '2 is not known here' } : 200;

const setAsides = () => store.db.collection('set_aside').countDocuments({ channel: ACME });

const delivered = (slug: string, status: 'delivered' | 'failed') =>
  eventually(
    async () => expect(await findDeliveries(store, slug, { status, limit: 1 })).toHaveLength(1),
    60_000,
  );

test('each right that API and worker use is in their role, and the roles hold none that nobody has used', async () => {
  const { integration, token } = await addIntegration(store, {
    name: 'agris',
    company: { id: '42', name: 'Prairie Co-op' },
  });
  const acme = await addTestChannel(store, ACME, customer.baseUrl, { authorization: 'Basic x' });
  const lender = await addFarmersChannel({ store }, LENDER, { base_url: customer.baseUrl });
  await push(token, 'one');
  await pushBehindAnother(token);
  await shareAsFarmer();
  await temporal.deliverNow(ACME, { request_id: randomUUID() });
  await temporal.deliverNow(LENDER, { request_id: randomUUID() });
  await delivered(ACME, 'delivered');

  for (const list of ['markers', 'deliveries', 'elevators', 'subscriptions'])
    await call('GET', `/api/v1/channels/${ACME}/${list}`, acme.apiKey);
  for (const list of ['elevators', 'subscriptions'])
    await call('GET', `/api/v1/channels/${LENDER}/${list}`, lender.apiKey);
  for (const type of ENTITY_TYPES)
    await call('POST', `/api/v1/channels/${ACME}/markers/${type}/reset`, acme.apiKey, {
      timestamp: '2026-01-01T00:00:00Z',
    });
  await actAsCustomer(acme.apiKey);
  await collect();
  customer.script = refusing;
  await push(token, 'two');
  await temporal.deliverNow(ACME, { request_id: randomUUID() });
  await eventually(async () => expect(await setAsides()).toBe(3), 60_000);
  customer.script = () => 200;
  await actAsOperator((await addOperator(store, 'Maria Lopez', 'operate')).token);
  await eventually(async () => expect(await setAsides()).toBe(0), 60_000);
  await addHashKey(store);
  await shareAsFarmer();

  customer.script = () => ({ status: 401, body: '' });
  await push(token, 'three');
  await temporal.deliverNow(ACME, { request_id: randomUUID() });
  await delivered(ACME, 'failed');
  customer.script = () => ({ status: 204, body: '' });
  await temporal.deliverNow(ACME, { request_id: randomUUID() });
  await eventually(
    () => expect(alerts.received.some(({ type }) => type === 'ledger.heads')).toBe(true),
    60_000,
  );
  await eventually(
    () => expect(alerts.received.some(({ type }) => type === 'alert.resolved')).toBe(true),
    60_000,
  );
  const longAgo = new Date(0);
  await closeIntegration(store, integration._id, { reason: 'a walk', erase_at: longAgo });
  await endings(store).updateOne({ _id: '42' }, { $set: { told_at: longAgo } });
  await eventually(async () => expect(await endings(store).countDocuments()).toBe(0), 180_000);
  await Promise.all([fetch(`${api.metricsUrl}/metrics`), fetch(`${worker.metricsUrl}/metrics`)]);

  // Twice a minute at most.
  await eventually(() => expect(sentBy('api').flatMap(rightsOf)).toContain('push_activity update'), 60_000);

  for (const name of ['api', 'worker']) {
    const may = new Set(granted(`gdx-${name}`));
    const used = new Set(sentBy(name).flatMap(rightsOf));
    expect([name, 'not allowed', [...used].filter((right) => !may.has(right))]).toEqual([
      name,
      'not allowed',
      [],
    ]);
    expect([name, 'never used', [...may].filter((right) => !used.has(right))]).toEqual([
      name,
      'never used',
      [],
    ]);
  }
});
