import type { ScheduleHandle } from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import path from 'node:path';
import { skew } from '../../cli/doctor/check-mongodb';
import { lazyClient } from '../../temporal/connect-temporal';
import { raiseAlert } from '../../store/alerts/alerts';
import type { Channel } from '../../store/channels/channels';
import { addTestChannel } from '../setup/add-test-channel';
import { eventually } from '../setup/eventually';
import { temporaryFolder } from '../setup/temporary-folder';
import { startProxy } from '../setup/start-proxy';
import { FakeCustomer } from '../setup/fake-customer';
import { ownTemporalNamespace } from '../setup/own-temporal-namespace';
import { type Service, startService } from '../setup/processes';
import { RECONCILE_ID } from '../../workflows/messages';
import { setChannel } from '../../store/channels/set-channel';
import { startDesk, type Desk } from './start-desk';
import { first, scaledTest } from '../setup/cases';
import { serveHere } from '../setup/serve-here';

interface Finding {
  status: 'ok' | 'warn' | 'fail';
  part: string;
  finding: string;
  fix: string | null;
}

const ACME = `acme-${randomBytes(4).toString('hex')}`;
const EMPTY_NAMESPACE = `doctor-${randomBytes(4).toString('hex')}`;
const NOWHERE = '127.0.0.1:1';

let desk: Desk;
let service: Service[];
let customer: FakeCustomer;
let badlyCertified: { port: number };
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  ownTemporalNamespace('doctor');
  desk = await startDesk();
  customer = await FakeCustomer.start();
  service = await Promise.all([
    // it must not start what a case has found missing
    startService('worker', { ...desk.env, GDX_RECONCILE_SECONDS: '3600' }),
    startService('api', desk.env),
  ]);
  env = { GDX_PUBLIC_URL: service[1]!.url };
  await desk.gdx([
    'channel',
    'add',
    ACME,
    '--name',
    'Acme',
    '--base-url',
    customer.baseUrl,
    '--all-companies',
  ]);
  const pem = (name: string) => readFileSync(path.join(__dirname, `../outbound/certificates/${name}.pem`));
  badlyCertified = await serveHere(createServer({ key: pem('key'), cert: pem('self-signed') }));
  await newNamespace();
});

/** A namespace in which no worker has made anything yet. */
async function newNamespace(): Promise<void> {
  const address = process.env.TEMPORAL_ADDRESS as string;
  const client = lazyClient({ env: process.env, address, namespace: EMPTY_NAMESPACE });
  const day = { seconds: 86_400 as never };
  await client.workflowService.registerNamespace({
    namespace: EMPTY_NAMESPACE,
    workflowExecutionRetentionPeriod: day,
  });
  await eventually(() => client.workflowService.describeNamespace({ namespace: EMPTY_NAMESPACE }));
  await client.connection.close();
}

async function withSchedule(act: (schedule: ScheduleHandle) => Promise<void>): Promise<void> {
  const address = process.env.TEMPORAL_ADDRESS as string;
  const namespace = process.env.TEMPORAL_NAMESPACE as string;
  const client = lazyClient({ env: process.env, address, namespace });
  await act(client.schedule.getHandle(RECONCILE_ID));
  await client.connection.close();
}

const channels = () => desk.store.db.collection<Channel>('channels');
const set = (fields: Partial<Channel>) => channels().updateOne({ _id: ACME }, { $set: fields });

async function examine(changes: NodeJS.ProcessEnv = {}) {
  const run = await desk.gdx(['doctor', '--json'], { ...env, ...changes });
  const { healthy, data } = run.json() as { healthy: boolean; data: Finding[] };
  return { ...run, healthy, data };
}

test('all is well: no line fails, nothing is sent, and the table says the same', async () => {
  const { data, healthy, exitCode } = await eventually(async () => {
    const found = await examine();
    expect(found.data.filter(({ status }) => status === 'fail')).toEqual([]);
    return found;
  });
  expect([healthy, exitCode]).toEqual([true, 0]);
  const parts = ['mongodb', 'replica set', 'indexes', 'counters', 'secrets', 'temporal', 'search attributes'];
  const more = ['schedule', 'worker', 'workflows', 'api', `channel ${ACME}`, `customer ${ACME}`];
  for (const part of [...parts, ...more]) {
    expect(data).toContainEqual(expect.objectContaining({ part, status: 'ok' }));
  }
  const queues = data.flatMap(({ finding }) => /on the task queue \S+?(-[a-z]+)?$/.exec(finding)?.[1] ?? []);
  expect(queues).toEqual(['-backlog', '-unanswered']);
  const table = await desk.gdx(['doctor'], env);
  expect(table.stdout).toMatch(/^ok {4}mongodb +answers in \d+ ms$/m);
  expect(table.stdout).toMatch(
    /^warn {2}settings +not production.*\n +-> for real data set NODE_ENV=production$/m,
  );
  expect(customer.pages).toEqual([]);
});

test('the API is well where its proxy passes on what the public needs alone', async () => {
  const api = service[1]!.url;
  const proxy = createHttpServer((request, response) => {
    if (request.url !== '/livez') return response.writeHead(404).end();
    return fetch(`${api}/livez`).then(({ status }) => response.writeHead(status).end());
  });
  const { port } = await serveHere(proxy);
  const { data } = await examine({ GDX_PUBLIC_URL: `http://127.0.0.1:${port}/` });
  expect(data).toContainEqual(expect.objectContaining({ part: 'api', status: 'ok' }));
});

interface Fault {
  plant?: () => Promise<unknown>;
  undo?: () => Promise<unknown>;
  changes?: NodeJS.ProcessEnv | (() => NodeJS.ProcessEnv);
  part: string;
  finding: RegExp;
  fix: RegExp;
}

const ofUrl = (base_url: () => string, finding: RegExp, fix: RegExp): Fault => ({
  plant: () => setChannel(desk.store, ACME, { base_url: base_url() }),
  undo: () => setChannel(desk.store, ACME, { base_url: customer.baseUrl }),
  part: `customer ${ACME}`,
  finding,
  fix,
});

const FAULTS: Record<string, Fault> = {
  'MongoDB is away': {
    changes: { MONGODB_URI: `mongodb://${NOWHERE}/gdx` },
    part: 'mongodb',
    finding: /does not answer/,
    fix: /start it, or check MONGODB_URI/,
  },
  'Temporal is away': {
    changes: { TEMPORAL_ADDRESS: NOWHERE },
    part: 'temporal',
    finding: /127\.0\.0\.1:1 does not answer/,
    fix: /start it, or check TEMPORAL_ADDRESS/,
  },
  'the API is away': {
    changes: { GDX_PUBLIC_URL: `http://${NOWHERE}` },
    part: 'api',
    finding: /does not answer/,
    fix: /start the API, or check GDX_PUBLIC_URL/,
  },
  'an index is missing': {
    plant: () => desk.store.db.collection('deliveries').dropIndex('channel_started'),
    undo: () => desk.gdx(['migrate']),
    part: 'indexes',
    finding: /missing: index channel_started of deliveries/,
    fix: /gdx migrate/,
  },
  'a counter is behind its markers': {
    plant: () => desk.store.db.collection('markers').updateOne({}, { $set: { position: 99 } }),
    undo: () => desk.store.db.collection('markers').updateMany({}, { $set: { position: 0 } }),
    part: 'counters',
    finding: /behind what is stored: /,
    fix: /gdx repair counters/,
  },
  'the namespace is another': {
    changes: { TEMPORAL_NAMESPACE: 'nobody-made-this' },
    part: 'namespace',
    finding: /there is no namespace nobody-made-this/,
    fix: /TEMPORAL_NAMESPACE/,
  },
  'the search attributes are missing': {
    changes: { TEMPORAL_NAMESPACE: EMPTY_NAMESPACE },
    part: 'search attributes',
    finding: /missing: GdxChannel, GdxEntityType, /,
    fix: /start the worker/,
  },
  'the schedule is missing': {
    changes: { TEMPORAL_NAMESPACE: EMPTY_NAMESPACE },
    part: 'schedule',
    finding: /`reconcile` is missing/,
    fix: /start the worker/,
  },
  'the schedule is paused': {
    plant: () => withSchedule((schedule) => schedule.pause()),
    undo: () => withSchedule((schedule) => schedule.unpause()),
    part: 'schedule',
    finding: /`reconcile` is paused/,
    fix: /toggle --unpause -s reconcile/,
  },
  'no worker polls': {
    changes: { GDX_TASK_QUEUE: 'nobody' },
    part: 'worker',
    finding: /nobody works on the task queue nobody/,
    fix: /start the worker, or .*GDX_TASK_QUEUE/,
  },
  'a channel has no workflow': {
    plant: () => addTestChannel(desk.store, 'orphan', customer.baseUrl),
    undo: () => channels().deleteOne({ _id: 'orphan' }),
    part: 'workflows',
    finding: /channel orphan has none/,
    fix: /gdx channel deliver orphan/,
  },
  'the key of customers’ secrets is another': {
    changes: { GDX_CUSTOMER_SECRETS_KEY: randomBytes(32).toString('base64') },
    part: 'secrets',
    finding: new RegExp(`those of ${ACME} do not open`),
    fix: /set GDX_CUSTOMER_SECRETS_KEY/,
  },
  'texts have no provider': {
    changes: { GDX_SMS_PROVIDER: 'webhook' },
    part: 'settings of the api',
    finding: /GDX_SMS_WEBHOOK_URL/,
    fix: /gdx config/,
  },
  'a customer’s name does not resolve': ofUrl(
    () => 'https://gdx.invalid',
    /gdx\.invalid does not resolve/,
    /gdx channel set .* --base-url/,
  ),
  'the outbound proxy is away': {
    changes: { GDX_OUTBOUND_PROXY: `http://${NOWHERE}` },
    part: `customer ${ACME}`,
    finding: /^the outbound proxy: ECONNREFUSED$/,
    fix: /check GDX_OUTBOUND_PROXY/,
  },
  'a customer’s port is closed': ofUrl(() => `http://${NOWHERE}`, /ECONNREFUSED/, /ask the customer/),
  'a customer’s certificate does not hold': ofUrl(
    () => `https://localhost:${badlyCertified.port}`,
    /certificate of localhost does not hold \(.*SIGNED/,
    /ask the customer to renew it/,
  ),
  'a customer does not speak TLS': ofUrl(
    () => customer.baseUrl.replace('http:', 'https:'),
    /127\.0\.0\.1 does not speak TLS as it should \(E\w+\)/,
    /ask the customer for TLS 1\.2 or 1\.3/,
  ),
  'a customer’s URL leads inside': ofUrl(() => 'https://10.0.0.1', /10\.0\.0\.1, a private/, /--base-url/),
  'a channel is stale': {
    plant: () => set({ created_at: new Date(0), fresh_at: new Date(0) }),
    undo: () => set({ fresh_at: new Date() }),
    part: `channel ${ACME}`,
    finding: /is stale: /,
    fix: /worker and workflows/,
  },
  'a channel fails': {
    plant: () =>
      raiseAlert(
        desk.store,
        { channel: ACME, class: 'unauthorized', subject: 'tickets', message: 'Acme answered 401' },
        new Date(),
      ),
    undo: () => desk.store.db.collection('alerts').deleteMany({}),
    part: `channel ${ACME}`,
    finding: /unauthorized: Acme answered 401/,
    fix: /authorization/,
  },
};

scaledTest.each(first(3, Object.entries(FAULTS)))(
  '%s: it is found, and the fix is named',
  async (_, fault) => {
    const { plant, undo, changes, part, finding, fix } = fault;
    await plant?.();
    const found = await examine(typeof changes === 'function' ? changes() : changes);
    await undo?.();
    expect(found.data).toContainEqual({
      status: 'fail',
      part,
      finding: expect.stringMatching(finding),
      fix: expect.stringMatching(fix),
    });
    expect([found.healthy, found.exitCode]).toEqual([false, 1]);
    expect(found.stderr).toMatch(/^gdx: \d+ of \d+ checks failed; do what the lines above say/);
  },
);

test.each([
  [
    'of a provider',
    { GDX_OIDC_ISSUER: 'https://login.example', GDX_OIDC_CLIENT_ID: 'gdx', GDX_OIDC_READ_GROUPS: 'staff' },
  ],
  [
    'of Twilio',
    { GDX_SMS_PROVIDER: 'twilio', GDX_TWILIO_ACCOUNT_SID: 'AC1', GDX_TWILIO_FROM: '+17015550100' },
  ],
])('a secret %s, which the API alone is given, fails no check where it is not', async (_, settings) => {
  const { data } = await examine(settings);
  expect(data.filter(({ finding }) => /must be set/.test(finding))).toEqual([]);
});

test('customers are reached through the outbound proxy, as pages are', async () => {
  const proxy = await startProxy();
  const { data } = await examine({ GDX_OUTBOUND_PROXY: proxy.url.href });
  await proxy.stop();
  expect(data).toContainEqual(expect.objectContaining({ part: `customer ${ACME}`, status: 'ok' }));
  expect(proxy.asked).toEqual([
    expect.stringContaining(`CONNECT 127.0.0.1:${new URL(customer.baseUrl).port} `),
  ]);
});

test('a paused channel is a warning; nothing is asked of its customer', async () => {
  await desk.gdx(['channel', 'pause', ACME, '--reason', 'their disk is full']);
  const { data } = await eventually(async () => {
    const found = await examine();
    expect(found.exitCode).toBe(0);
    return found;
  });
  await desk.gdx(['channel', 'resume', ACME]);
  expect(data).toContainEqual({
    status: 'warn',
    part: `channel ${ACME}`,
    finding: 'is paused: their disk is full',
    fix: expect.stringContaining(`gdx channel resume ${ACME}`),
  });
  expect(data.map(({ part }) => part)).not.toContain(`customer ${ACME}`);
});

test('a process whose clock is two hours ahead is named, and those that are right are ok', async () => {
  const clock = path.join(temporaryFolder('clock'), 'clock');
  writeFileSync(clock, String(2 * 3_600_000));
  const shift = `--import ${path.join(__dirname, '../faults/shift-clock.mjs')}`;
  const ahead = await startService('api', { ...desk.env, NODE_OPTIONS: shift, GDX_TEST_CLOCK: clock });
  const clocks = async () => {
    const { data } = await examine();
    return data.filter(({ part }) => /^clock of (api|worker)/.test(part));
  };
  try {
    await eventually(async () => expect(await clocks()).toHaveLength(3));
    const [wrong, ...others] = (await clocks()).sort((one, other) => one.status.localeCompare(other.status));
    expect(wrong).toMatchObject({
      status: 'fail',
      finding: expect.stringMatching(/^7(199|200)\.\d s ahead of mongodb$/),
    });
    expect(others.map(({ status }) => status)).toEqual(['ok', 'ok']);
  } finally {
    await ahead.end('SIGKILL');
  }
});

test('a clock is judged by how far it is off', () => {
  expect(skew('clock', undefined)).toEqual([]);
  expect(skew('clock', -200)[0]).toMatchObject({ status: 'ok', finding: '0.2 s behind this machine' });
  expect(skew('clock', 2_000)[0]).toMatchObject({ status: 'warn', fix: expect.stringContaining('NTP') });
  expect(skew('clock', -60_000)[0]).toMatchObject({ status: 'fail', finding: '60.0 s behind this machine' });
});
