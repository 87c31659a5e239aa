import { listActions } from '../../store/callers/operator-actions';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createChannelClient } from '../../temporal/channel-client';
import { lazyClient } from '../../temporal/connect-temporal';
import { pauseChannel } from '../../store/channels/channels';
import { countAttempt, forgetAttempts } from '../../store/codes/attempt-counts';
import { markerId, noteUnconfirmed, skipMarker, startMarker } from '../../store/markers/markers';
import {
  accounts,
  channelKey,
  expectError,
  hearingSignals,
  integrationToken,
  pushOf,
  startApi,
  type Api,
} from './start-api';

const { temporal, signals } = hearingSignals();
let api: Api;
let key: string;
let changed: string[];

beforeAll(async () => {
  api = await startApi({ temporal });
  key = await channelKey(api.store, 'acme', { page_size: 10 });
  const token = await integrationToken(api.store);
  for (const first of [1001, 2001, 3001]) {
    await api.ask('POST', '/api/v1/push', { token, body: pushOf(accounts(12, first)) });
  }
  const records = await api.store.db.collection('accounts').find().sort({ position: 1 }).toArray();
  changed = [...new Set(records.map(({ updated_at }) => (updated_at as Date).toISOString()))];
});
beforeEach(async () => {
  signals.length = 0;
  await api.store.db.collection('markers').deleteMany({});
});

const ask = (body: unknown, path = 'accounts/reset', token = key, slug = 'acme') =>
  api.ask('POST', `/api/v1/channels/${slug}/markers/${path}`, { token, body });

const markers = () => api.store.db.collection('markers').find().toArray();

test('goes back to the first change at or after the timestamp, and signals the workflow', async () => {
  await startMarker(api.store, 'acme', 'accounts', 36);
  const answer = await ask({ timestamp: changed[1] }, 'accounts/reset');
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
  expect(answer.json).toEqual({ timestamp: changed[1], records: 24, pages: 3, starts: 'now' });
  expect(await markers()).toMatchObject([{ position: 12, generation: 1, epoch: 1 }]);
  const [action] = await listActions(api.store, 'acme', 1);
  expect(action).toMatchObject({
    ...{ action: 'reset', via: 'API', reason: null, before: { position: 36 } },
    outcome: 'Resends 24 accounts, about 3 pages.',
  });
  // A customer can reset as often as the rate limit allows: these records are the only ones that end.
  expect(action!.expires_at!.getTime() - action!.at.getTime()).toBeCloseTo(400 * 24 * 3_600_000, -4);
  expect(signals).toEqual([
    {
      slug: 'acme',
      signal: 'markerReset',
      args: [
        { entity_types: ['accounts'], timestamp: changed[1], request_id: answer.headers['x-request-id'] },
      ],
    },
  ]);
});

test('each is recorded, so there are at most 60 a minute of a channel', async () => {
  await startMarker(api.store, 'acme', 'accounts', 36);
  const before = await listActions(api.store, 'acme', 1_000);
  await countAttempt(api.store, 'reset/acme', { limit: 60, windowMs: 60_000 }, 60);
  const answer = await ask({ timestamp: changed[1] }, 'accounts/reset');
  expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([429, true]);
  expect(await listActions(api.store, 'acme', 1_000)).toHaveLength(before.length);
  expect((await ask({ timestamp: changed[1] }, 'accounts/reset?dry_run=true')).status).toBe(200);
  await forgetAttempts(api.store, ['reset/acme']);
});

test('a reset has at most 64 KiB', async () => {
  const body = JSON.stringify({ timestamp: changed[1] });
  const padded = (bytes: number) => body + ' '.repeat(bytes - body.length);
  expect((await ask(padded(64 * 1024))).status).toBe(200);
  expectError(await ask(padded(64 * 1024 + 1)), 413, 'PAYLOAD_TOO_LARGE');
});

test('a body in chunks is read as one of a known length: packed too, and of JSON alone', async () => {
  const send = async (body: Buffer, headers: Record<string, string>) => {
    const asked = request({
      port: api.port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/v1/channels/acme/markers/accounts/reset',
      headers: { authorization: key, ...headers },
    });
    asked.write(body.subarray(0, 10));
    asked.end(body.subarray(10));
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  const body = Buffer.from(JSON.stringify({ timestamp: changed[1] }));
  const json = { 'content-type': 'application/json' };
  expect(await send(gzipSync(body), { ...json, 'content-encoding': 'gzip' })).toBe(200);
  expect(await send(body, { 'content-type': 'text/plain' })).toBe(415);
});

test('any offset is understood, UTC with milliseconds is answered', async () => {
  const answer = await ask({ timestamp: '2016-01-01T05:30:00+05:30', more: 1 });
  expect(answer.json).toMatchObject({ timestamp: '2016-01-01T00:00:00.000Z', records: 36, pages: 4 });
});

test('a later timestamp never skips what was not delivered', async () => {
  await startMarker(api.store, 'acme', 'accounts', 5);
  await ask({ timestamp: changed[2] });
  expect(await markers()).toMatchObject([{ position: 5, generation: 1 }]);
  const ahead = await ask({ timestamp: new Date(Date.now() + 4 * 60_000).toISOString() });
  expect(ahead.json).toMatchObject({ records: 0, pages: 0 });
  expect(await markers()).toMatchObject([{ position: 5, last_reset: { at: expect.any(Date) } }]);
});

test('an attempt under way cannot move the marker any more', async () => {
  await startMarker(api.store, 'acme', 'accounts', 30);
  await ask({ timestamp: changed[0] });
  expect(await skipMarker(api.store, { id: markerId('acme', 'accounts'), epoch: 0 }, 36)).toBe(false);
});

describe('dry_run', () => {
  test('answers the same and changes nothing', async () => {
    await startMarker(api.store, 'acme', 'accounts', 36);
    const before = await markers();
    const dry = await ask({ timestamp: changed[2] }, 'accounts/reset?dry_run=true');
    expect(await markers()).toEqual(before);
    expect(signals).toEqual([]);
    const real = await ask({ timestamp: changed[2] }, 'accounts/reset?dry_run=false');
    expect(dry.json).toEqual(real.json);
    expect(signals).toHaveLength(1);
  });

  test('makes no marker either', async () => {
    await ask({ timestamp: changed[0] }, 'tickets/reset?dry_run=true');
    expect(await markers()).toEqual([]);
  });

  test.each(['yes', '', 'TRUE', '1', 'true&dry_run=true'])('%j is neither true nor false', async (value) => {
    const answer = await ask({ timestamp: changed[0] }, `accounts/reset?dry_run=${value}`);
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(answer.json.validation_messages).toEqual({ dry_run: [expect.any(String)] });
    expect(await markers()).toEqual([]);
  });
});

describe('422 VALIDATION_ERROR', () => {
  const soon = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

  test.each<[string, unknown]>([
    ['missing', {}],
    ['null', { timestamp: null }],
    ['a number', { timestamp: 1_700_000_000 }],
    ['a list', { timestamp: ['2026-10-01T00:00:00Z'] }],
    ['a date only', { timestamp: '2026-10-01' }],
    ['no offset', { timestamp: '2026-10-01T00:00:00' }],
    ['no such day', { timestamp: '2016-02-30T00:00:00Z' }],
    ['no such hour', { timestamp: '2026-10-01T24:00:00Z' }],
    ['lower case', { timestamp: '2026-10-01t00:00:00z' }],
    ['spaces', { timestamp: ' 2026-10-01T00:00:00Z' }],
    ['just before 2016', { timestamp: '2015-12-31T23:59:59.999Z' }],
    ['before 2016 by its offset', { timestamp: '2016-01-01T00:00:00+01:00' }],
    ['too far ahead', { timestamp: soon(9) }],
    ['a body that is no object', []],
    ['a body that is null', null],
    ['a body that is a text', '"2026-10-01T00:00:00Z"'],
  ])('timestamp: %s', async (_, body) => {
    const answer = await ask(body === null ? 'null' : body);
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(answer.json.validation_messages).toEqual({ timestamp: [expect.any(String)] });
    expect(await markers()).toEqual([]);
    expect(signals).toEqual([]);
  });

  test.each(['elevators', 'Tickets', 'ticket', 'constructor', '%ZZ', '%00'])(
    'entity_type %s',
    async (type) => {
      const answer = await ask({ timestamp: '2026-10-01T00:00:00Z' }, `${type}/reset`);
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect(answer.json.validation_messages).toEqual({ entity_type: [expect.any(String)] });
    },
  );

  test('everything wrong is named at once', async () => {
    const answer = await ask({}, 'elevators/reset?dry_run=perhaps');
    expect(Object.keys(answer.json.validation_messages).sort()).toEqual([
      'dry_run',
      'entity_type',
      'timestamp',
    ]);
  });

  test('an entity type that the channel does not carry', async () => {
    const other = await channelKey(api.store, 'narrow', { entity_types: ['tickets'] });
    const answer = await ask({ timestamp: changed[0] }, 'accounts/reset', other, 'narrow');
    expect(answer.json.validation_messages).toEqual({ entity_type: ['this channel carries only tickets'] });
  });

  test.each([
    ['the first instant', '2016-01-01T00:00:00Z'],
    ['a little ahead', soon(4)],
  ])('but not for %s', async (_, timestamp) => {
    expect((await ask({ timestamp })).status).toBe(200);
  });
});

describe('what is counted', () => {
  test('only the companies of the channel', async () => {
    const other = await channelKey(api.store, 'valley', { companies: ['43'] });
    const answer = await ask({ timestamp: changed[0] }, 'accounts/reset', other, 'valley');
    expect(answer.json).toMatchObject({ records: 0, pages: 0 });
  });

  test('nothing for scope subscribed, as long as nobody has subscribed', async () => {
    const other = await channelKey(api.store, 'lender', { scope: 'subscribed' });
    const answer = await ask({ timestamp: changed[0] }, 'accounts/reset', other, 'lender');
    expect(answer.json).toMatchObject({ records: 0, pages: 0, starts: 'now' });
  });
});

test('the workflow of the channel hears it, and is started if it is missing', async () => {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = process.env as Record<string, string>;
  const client = lazyClient({ env: {}, address: address!, namespace: namespace! });
  const real = createChannelClient(client, 'nobody-works-here', 20_000);
  const heard = await startApi({ store: api.store, temporal: real });
  const slug = `heard-${randomUUID().slice(0, 8)}`;
  const token = await channelKey(api.store, slug);
  const path = `/api/v1/channels/${slug}/markers/accounts/reset`;
  const question = { token, body: { timestamp: changed[0] }, headers: { 'x-request-id': 'customer-7' } };
  const dry = await heard.ask('POST', `${path}?dry_run=true`, question);
  const answer = await heard.ask('POST', path, question);
  const handle = client.workflow.getHandle(`channel/${slug}`);
  const { events } = await handle.fetchHistory();
  await handle.terminate();
  await heard.stop();
  await real.close();
  expect(answer.json).toMatchObject({ records: 36, starts: 'now' });
  expect(dry.json).toEqual(answer.json);
  const signals = events!.flatMap((event) => event.workflowExecutionSignaledEventAttributes ?? []);
  expect(signals.map(({ signalName }) => signalName)).toEqual(['markerReset']);
  expect(JSON.parse(Buffer.from(signals[0]!.input!.payloads![0]!.data!).toString())).toEqual({
    entity_types: ['accounts'],
    timestamp: changed[0],
    request_id: 'customer-7',
  });
});

describe('when the run has to wait', () => {
  test('a paused channel is reset; its workflow hears of it and waits', async () => {
    const paused = await channelKey(api.store, 'paused');
    await pauseChannel(api.store, 'paused', 'test');
    const answer = await ask({ timestamp: changed[0] }, 'accounts/reset', paused, 'paused');
    expect([answer.status, answer.json.starts, answer.json.records]).toEqual([200, 'paused', 36]);
    expect(signals).toHaveLength(1);
  });

  test('the customer’s own Retry-After is told, and not cut short', async () => {
    await startMarker(api.store, 'acme', 'accounts', 36);
    const until = new Date(Date.now() + 600_000);
    const own = { not_before: until, unanswered: false };
    await noteUnconfirmed(api.store, markerId('acme', 'accounts'), own);
    const answer = await ask({ timestamp: changed[0] });
    expect(answer.json).toMatchObject({ starts: until.toISOString(), records: 36 });
  });

  test('Temporal is away: the reset holds all the same, within seconds', async () => {
    const nowhere = createChannelClient(
      lazyClient({ env: {}, address: '127.0.0.1:1', namespace: 'default' }),
      'gdx',
    );
    const alone = await startApi({ temporal: nowhere });
    const token = await channelKey(alone.store, 'acme');
    await startMarker(alone.store, 'acme', 'accounts', 36);
    const erp = await integrationToken(alone.store);
    const pushed = await alone.ask('POST', '/api/v1/push', { token: erp, body: pushOf(accounts(1)) });
    const ready = await alone.ask('GET', '/readyz');
    const started = Date.now();
    const answer = await alone.ask('POST', '/api/v1/channels/acme/markers/accounts/reset', {
      token,
      body: { timestamp: '2016-01-01T00:00:00Z' },
    });
    const took = Date.now() - started;
    const [marker] = await alone.store.db.collection('markers').find().toArray();
    await nowhere.close();
    expect(pushed.status).toBe(204);
    expect([answer.status, answer.json.starts, answer.json.records]).toEqual([200, 'next_run', 1]);
    expect(took).toBeLessThan(10_000);
    expect(marker).toMatchObject({ position: 0, generation: 1 });
    expect([ready.status, ready.json.status, ready.json.parts.temporal.status]).toEqual([
      200,
      'ready',
      'down',
    ]);
  });
});
