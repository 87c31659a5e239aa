import { createServer } from 'node:http';
import { listChannels } from '../../store/channels/channels';
import { nightlyTest, slowTest } from '../setup/cases';
import { createConnections } from '../../cli/connections';
import { checkAccess, checkPausedCodes } from '../../cli/doctor/check-access';
import { checkFeeds } from '../../cli/doctor/check-channels';
import { checkMongodb } from '../../cli/doctor/check-mongodb';
import { checkSettings } from '../../cli/doctor/check-settings';
import { checkZones } from '../../cli/doctor/check-zones';
import { examine } from '../../cli/doctor/examine';
import { readConfig } from '../../config';
import { addIntegration, setTimeZone } from '../../store/callers/integrations';
import { SHARING_CODES } from '../../store/codes/code-activity';
import { pauseCodes } from '../../store/codes/paused-codes';
import { setAccess, setKeyAccess } from '../../store/channels/set-access';
import { raiseAlert } from '../../store/alerts/alerts';
import { closeDeliveryReport, openDeliveryReport } from '../../store/deliveries/deliveries';
import { recordIndexes } from '../../store/records/records';
import { markerId, noteDelivered, startMarker } from '../../store/markers/markers';
import type { Store } from '../../store/store';
import { addTestChannel } from '../setup/add-test-channel';
import { grantAccounts } from '../setup/share-accounts';
import { emptyStore, newDatabaseUri } from '../setup/open-store';
import { startStrictWire } from '../strict/strict-wire';
import { serveHere } from '../setup/serve-here';

const DAY_MS = 24 * 3_600_000;

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
  for (const slug of ['acme', 'bank', 'coop']) await addTestChannel(store, slug, 'https://acme.example');
});

async function openDelivery(channel: string, entity_type: 'accounts' | 'tickets', run: number) {
  const _id = `delivery/${channel}/${entity_type}/${run}`;
  const window = { from: 0, to: 3, run, trigger: 'schedule', workflow_run_id: 'r', catch_up: false };
  await openDeliveryReport(store, { ...window, _id, channel, entity_type }, 1);
  return _id;
}

async function deliver(
  channel: string,
  entity_type: 'accounts' | 'tickets',
  run: number,
  failure: 'refused' | null,
) {
  const _id = await openDelivery(channel, entity_type, run);
  const end = { status: failure ? ('failed' as const) : ('delivered' as const), failure };
  await closeDeliveryReport(store, _id, { ...end, failure_message: failure && 'Acme answered 422' }, 1);
}

slowTest(
  'each channel is told of its own failures, and of no delivery that a later one has made good',
  async () => {
    const now = new Date();
    const trigger = { class: 'unauthorized', subject: 'tickets', message: 'answered 401' } as const;
    await raiseAlert(store, { ...trigger, channel: 'bank' }, now);
    await deliver('acme', 'tickets', 1, 'refused');
    await deliver('acme', 'accounts', 1, null);
    await deliver('coop', 'tickets', 1, 'refused');
    await deliver('coop', 'tickets', 2, null);
    const found = await checkFeeds(store, await listChannels(store), now);
    expect(found.map(({ part, status, finding }) => [part, status, finding])).toEqual([
      ['channel acme', 'warn', 'its last delivery of tickets failed: Acme answered 422'],
      ['channel bank', 'fail', 'unauthorized: answered 401'],
      ['channel coop', 'ok', 'delivers'],
    ]);
  },
);

test('codes that an operator has paused are named, with what sends them again', async () => {
  const pause = { by: 'maria', reason: 'guesses', at: new Date('2026-11-21T15:04:00Z') };
  for (const whose of ['bank', SHARING_CODES]) await pauseCodes(store, whose, pause);
  const found = await checkPausedCodes(store);
  expect(found.map(({ status, finding, fix }) => [status, finding, fix])).toEqual([
    [
      'warn',
      'codes of the links of bank are paused since 2026-11-21T15:04:00.000Z, by maria: its farmers get in only in browsers that they have used before',
      '`gdx codes resume bank`',
    ],
    [
      'warn',
      'codes of /sharing are paused since 2026-11-21T15:04:00.000Z, by maria: farmers get in only in browsers that they have used before',
      '`gdx codes resume --sharing`',
    ],
  ]);
});

test('a company without a time zone is named where farmers share its accounts, and no other', async () => {
  const company = { id: '42', name: 'Prairie Co-op' };
  const { integration } = await addIntegration(store, { name: 'agris', company });
  await addIntegration(store, { name: 'other', company: { id: '4', name: 'Four' } });
  expect(await checkZones(store)).toEqual([]);
  const [channel] = await listChannels(store);
  const key = { channel: channel!._id, partner_id: 'p', farmer: 'f', account: '42-1' };
  await grantAccounts(store, channel!, [key]);
  expect(await checkZones(store)).toEqual([
    {
      part: 'time zones',
      status: 'warn',
      finding: expect.stringContaining('accounts of Prairie Co-op'),
      fix: expect.stringContaining(`gdx integration set ${integration._id} --time-zone`),
    },
  ]);
  await setTimeZone(store, integration._id, 'America/Chicago');
  expect(await checkZones(store)).toEqual([]);
});

test('keys and tokens that end within two weeks are named, and so are those that have ended', async () => {
  const now = new Date();
  const ends = (slug: string, days: number) =>
    setKeyAccess(store, slug, { expires_at: new Date(now.getTime() + days * DAY_MS) });
  await ends('acme', 13);
  await ends('bank', 15);
  await ends('coop', -1);
  const company = { id: '42', name: 'Prairie Co-op' };
  const { _id } = (await addIntegration(store, { name: 'agris', company })).integration;
  await setAccess(store, _id, { expires_at: new Date(now.getTime() + 13 * DAY_MS) });
  const found = await checkAccess(store, await listChannels(store), now);
  expect(found.map(({ status, fix }) => [status, fix])).toEqual([
    ['warn', `\`gdx integration set ${_id} --expires 90d\`, or never`],
    ['warn', '`gdx channel set-key acme --expires 90d`, or never'],
    ['fail', '`gdx channel set-key coop --expires 90d`, or never'],
  ]);
});

test('a channel is alive while its pages are confirmed, though no run was empty', async () => {
  const channels = store.db.collection<{ _id: string }>('channels');
  await channels.updateMany({}, { $set: { created_at: new Date(0), fresh_at: new Date(0) } });
  await startMarker(store, 'bank', 'tickets', 0);
  await noteDelivered(store, markerId('bank', 'tickets'));
  const found = await checkFeeds(store, await listChannels(store), new Date());
  expect(found.map(({ part, status }) => [part, status])).toEqual([
    ['channel acme', 'fail'],
    ['channel bank', 'ok'],
    ['channel coop', 'fail'],
  ]);
});

test('of a channel that fails it says why, and not that nothing is confirmed besides', async () => {
  const acme = (await listChannels(store)).filter(({ _id }) => _id === 'acme');
  const long = acme.map((channel) => ({ ...channel, created_at: new Date(0), fresh_at: new Date(0) }));
  const alert = {
    channel: 'acme',
    class: 'unauthorized',
    subject: 'tickets',
    message: 'Acme answered 401',
  } as const;
  await raiseAlert(store, alert, new Date());
  const failing = await checkFeeds(store, long, new Date());
  await store.db.collection('alerts').deleteMany({});
  const stale = await checkFeeds(store, long, new Date());
  expect([failing, stale].map((found) => found.map(({ finding }) => finding))).toEqual([
    ['unauthorized: Acme answered 401'],
    [expect.stringContaining('is stale: ')],
  ]);
});

slowTest(
  'of a channel that is stale while a delivery is open it names the customer’s answer before the worker',
  async () => {
    const acme = (await listChannels(store)).filter(({ _id }) => _id === 'acme');
    const long = acme.map((channel) => ({ ...channel, created_at: new Date(0), fresh_at: new Date(0) }));
    const fixes = async () => (await checkFeeds(store, long, new Date())).map(({ fix }) => fix);
    expect(await fixes()).toEqual([expect.stringMatching(/^see the lines on worker/)]);
    await openDelivery('acme', 'tickets', 1);
    expect(await fixes()).toEqual([
      expect.stringMatching(/^it may wait .*`gdx deliveries acme --status running`/),
    ]);
  },
);

test('of a channel whose companies have no ERP it says so', async () => {
  const channel = { ...(await listChannels(store))[0]!, companies: ['42', '77'] };
  const found = async () =>
    (await checkFeeds(store, [channel], new Date())).map(({ status, finding }) => `${status}: ${finding}`);
  expect(await found()).toEqual(['warn: gets nothing new: no ERP may push for company 42 or 77']);
  await addIntegration(store, { name: 'agris', company: { id: '77', name: 'Prairie Co-op' } });
  expect(await found()).toEqual(['ok: delivers']);
});

/** What the doctor says of a part of MongoDB, where a command has this answer. */
async function foundOf(of: string, asked: string, answer: object) {
  const command = (each: object) => (asked in each ? answer : store.db.command(each));
  const db = new Proxy(store.db, {
    get: (target, name) => (name === 'command' ? command : (Reflect.get(target, name) as unknown)),
  });
  return (await checkMongodb({ ...store, db })).find(({ part }) => part === of);
}

test.each([
  ['https://farmers.example', 0, 'warn'],
  ['https://farmers.example', 1, undefined],
  ['http://127.0.0.1:3000', 0, undefined],
])('farmers come to %s, and %d proxies are trusted: %s', (publicUrl, trustedProxies, status) => {
  const rest = { production: true, apiProblem: undefined, smsProvider: 'webhook' };
  const found = checkSettings({ ...rest, publicUrl, trustedProxies });
  expect(found.find(({ part }) => part === 'proxies')?.status).toBe(status);
});

test.each([
  [0.79, 'ok'],
  [0.8, 'warn'],
  [0.94, 'warn'],
  [0.95, 'fail'],
])('a disk of MongoDB that is full to %s: %s', async (fsUsedSize, status) => {
  expect(await foundOf('disk of mongodb', 'dbStats', { fsUsedSize, fsTotalSize: 1 })).toMatchObject({
    status,
  });
});

test.each([
  ['a member of rs0', { setName: 'rs0' }, 'ok'],
  ['a mongos, which names no set', { msg: 'isdbgrid' }, 'ok'],
  ['a server on its own', {}, 'fail'],
])('transactions are there or not: %s', async (_what, hello, status) => {
  expect(await foundOf('replica set', 'hello', { ...hello, localTime: new Date() })).toMatchObject({
    status,
  });
});

slowTest('every customer is looked at, however many there are', async () => {
  await store.db.collection('channels').deleteMany({});
  const slugs = Array.from({ length: 21 }, (_, index) => `pull-${index + 10}`);
  for (const slug of slugs) await addTestChannel(store, slug, '', { delivery: 'pull' });
  const env = { ...process.env, NODE_ENV: 'test', GDX_PUBLIC_URL: 'http://127.0.0.1:1' };
  const settings = { ...readConfig(env), smsProvider: 'console', apiProblem: undefined, env };
  const noToken = () => Promise.reject(new Error('only gdx push and gdx listen have one'));
  const connections = { ...createConnections(async () => settings, noToken), store: async () => store };
  const found = await examine(connections);
  await connections.close();
  const customers = found.filter(({ part }) => part.startsWith('customer '));
  expect(customers.map(({ part }) => part)).toEqual(slugs.map((slug) => `customer ${slug}`));
});

test('gdx waits for an answer as long as the server is there: an index over many records takes hours', async () => {
  const env = { ...process.env, NODE_ENV: 'test', GDX_PUBLIC_URL: 'http://127.0.0.1:1' };
  const settings = { ...readConfig(env), smsProvider: 'console', apiProblem: undefined, env } as const;
  const connections = createConnections(
    async () => settings,
    () => Promise.reject(new Error('nobody asks')),
  );
  expect((await connections.store()).client.options.socketTimeoutMS).toBe(0);
  await connections.close();
});

nightlyTest(
  'gdx migrate waits longer than any other answer may take until an index is built',
  async () => {
    const held = new URL(newDatabaseUri());
    const wire = await startStrictWire({ upstream: held.host, moreMs: { createIndexes: 125_000 } });
    const uri = `mongodb://${wire.address}${held.pathname}${held.search}`;
    const env = { ...process.env, NODE_ENV: 'test', GDX_PUBLIC_URL: 'http://127.0.0.1:1', MONGODB_URI: uri };
    const settings = { ...readConfig(env), smsProvider: 'console', apiProblem: undefined, env } as const;
    const connections = createConnections(
      async () => settings,
      () => Promise.reject(new Error('nobody asks')),
    );
    const opened = await connections.store();
    await opened.db.createCollection('tickets');
    const began = performance.now();
    await opened.db.collection('tickets').createIndexes(recordIndexes('tickets'));
    expect(performance.now() - began).toBeGreaterThan(120_000);
    await connections.close();
  },
  200_000,
);

describe('gateway', () => {
  /** Before an API that answers a push without a token as soon as it has heard of it. */
  async function behind(takesInWhole: boolean): Promise<string> {
    const gate = createServer((request, response) => {
      const isPush = request.method === 'POST';
      const answer = () => void response.writeHead(isPush ? 401 : 200).end('{}');
      if (isPush && takesInWhole) request.resume().on('end', answer);
      else answer();
    }).on('clientError', (_, socket) => socket.destroy());
    return (await serveHere(gate)).url;
  }

  async function found(publicUrl: string, proxies: string) {
    const env = { ...process.env, NODE_ENV: 'test', GDX_PUBLIC_URL: publicUrl, GDX_TRUSTED_PROXIES: proxies };
    const settings = { ...readConfig(env), smsProvider: 'console', apiProblem: undefined, env };
    const noToken = () => Promise.reject(new Error('only gdx push and gdx listen have one'));
    const connections = { ...createConnections(async () => settings, noToken), store: async () => store };
    const all = await examine(connections);
    await connections.close();
    return all.filter(({ part }) => part === 'gateway');
  }

  test('a gateway that takes requests in whole is told from one that does not', async () => {
    await store.db.collection('channels').deleteMany({});
    expect(await found(await behind(true), '1')).toMatchObject([{ status: 'ok' }]);
    expect(await found(await behind(false), '1')).toMatchObject([
      {
        status: 'warn',
        finding: expect.stringContaining('(401)'),
        fix: expect.stringContaining('The gateway'),
      },
    ]);
    expect(await found(await behind(false), '0')).toEqual([]);
  });
});
