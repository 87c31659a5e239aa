import { gzipSync } from 'node:zlib';
import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import {
  accounts,
  channelKey,
  expectError,
  integrationToken,
  pushOf,
  startApi,
  type Api,
  hearingSignals,
} from './start-api';
import { earlyInTheMinute } from '../setup/early-in-the-minute';
import { ROUTES } from '../../api/routes';
import { createIntegrationFinder } from '../../api/server/kept-integrations';
import { hashToken } from '../../store/callers/tokens';
import { addIntegration, integrationTokens } from '../../store/callers/integrations';
import { slowTest } from '../setup/cases';
import { addTestChannel } from '../setup/add-test-channel';
import { findChannel } from '../../store/channels/channels';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { layTestPage } from '../setup/lay-test-page';
import { emptyStore } from '../setup/open-store';
import { rewire } from '../commit-order/rewire';

const MIB = 2 ** 20;
let api: Api;

describe('errors', () => {
  const PUSH = '/api/v1/push';
  let token: string;
  let key: string;

  beforeAll(async () => {
    api = await startApi();
    token = await integrationToken(api.store);
    key = await channelKey(api.store, 'acme');
  });

  describe('404 NOT_FOUND', () => {
    test.each([
      '/',
      '/api/v1/pushes',
      '/api/v1/push/',
      '/API/v1/push',
      '//api/v1/push',
      '/api/v1/channels/acme',
      '/%',
      '/%00',
    ])('unknown address %s', async (path) => {
      expectError(await api.ask('GET', path), 404, 'NOT_FOUND');
      expectError(await api.ask('POST', path, { token, body: {} }), 404, 'NOT_FOUND');
    });
  });

  test.each([
    ['/', '/sharing'],
    ['/Sharing', '/sharing'],
    ['/sharing/', '/sharing'],
    ['/sharing.', '/sharing'],
    ['/CUSTOMER/', '/customer'],
    ['/docs/', '/docs'],
    ['/ops/', '/ops'],
  ])('a person who types %s is led to %s', async (path, page) => {
    const { status, headers } = await api.ask('GET', path, { headers: { accept: 'text/html' } });
    expect([status, headers['location']]).toEqual([302, page]);
  });

  test.each(['/sharin', '/customer/x', '/guide/x', '/guide/samples/x.mjs', '/ops/x/y', '/nothing/at/all'])(
    'a browser that asks for %s reads in both languages where the pages are',
    async (path) => {
      const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
      const { status, headers, text } = await api.ask('GET', path, { headers: { accept } });
      expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(text).toMatch(/This page does not exist.*Esta página no existe/s);
      for (const page of ['sharing', 'customer', 'guide', 'docs'])
        expect(text.split(`href="/${page}"`)).toHaveLength(3);
      expect(text).not.toContain('href="/ops"');
      expectError(await api.ask('GET', path, { headers: { accept: '*/*' } }), 404, 'NOT_FOUND');
    },
  );

  test('below the farmers’ pages it leads to theirs alone, and below /api nobody reads a page', async () => {
    const headers = { accept: 'text/html' };
    const { text } = await api.ask('GET', '/sharing/nowhere', { headers });
    expect(text.match(/href="\/\w*"/g)).toEqual(['href="/sharing"', 'href="/sharing"']);
    expectError(await api.ask('GET', '/api/v1/pushes', { headers }), 404, 'NOT_FOUND');
  });

  test('where operators have a listener of their own, that one leads to their pages alone', async () => {
    const theirs = await startApi({ store: api.store, side: 'operators' });
    const { text } = await theirs.ask('GET', '/sharing/nowhere', { headers: { accept: 'text/html' } });
    expect(text).not.toContain('href="/');
    const page = await theirs.ask('GET', '/op', { headers: { accept: 'text/html' } });
    expect(page.text.match(/href="\/\w*"/g)).toEqual(['href="/ops"', 'href="/ops"']);
  });

  describe('405 METHOD_NOT_ALLOWED', () => {
    test.each([
      ['GET', PUSH, 'POST'],
      ['HEAD', PUSH, 'POST'],
      ['PATCH', PUSH, 'POST'],
      ['PROPFIND', PUSH, 'POST'],
      ['GET', '/api/v1/channels/acme/markers/tickets/reset', 'POST'],
      ['POST', '/api/v1/channels/acme/markers', 'GET, HEAD'],
      ['DELETE', '/api/v1/channels/acme/deliveries', 'GET, HEAD'],
      ['POST', '/livez', 'GET, HEAD'],
    ])('%s %s, before any token is looked at', async (method, path, allow) => {
      const answer = await api.ask(method, path);
      expect(answer.headers['allow']).toBe(allow);
      if (method === 'HEAD') expect(answer.status).toBe(405);
      else expectError(answer, 405, 'METHOD_NOT_ALLOWED');
    });

    test('OPTIONS tells the methods', async () => {
      const answer = await api.ask('OPTIONS', PUSH);
      expect([answer.status, answer.headers['allow'], answer.text]).toEqual([204, 'POST', '']);
    });
  });

  describe('415 UNSUPPORTED_MEDIA_TYPE', () => {
    test.each<Record<string, string>>([
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'application/vnd.api+json' },
      { 'content-type': 'application/json; charset=iso-8859-1' },
      { 'content-type': 'application/json; charset=utf-16' },
      { 'content-type': 'application/json; charset=iso-8859-1;' },
      { 'content-type': 'application/json; charset=iso-8859-1; charset=utf-8' },
      { 'content-type': 'application/json; charset="utf-16"; version=1' },
      { 'content-type': '' },
      { 'content-encoding': 'br' },
      { 'content-encoding': 'deflate' },
      { 'content-encoding': 'gzip, gzip' },
    ])('%j', async (headers) => {
      const answer = await api.ask('POST', PUSH, { token, headers, body: '{"data":[]}' });
      expectError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
    });

    test.each<Record<string, string>>([
      { 'content-type': 'application/json;charset=UTF-8' },
      { 'content-type': 'Application/JSON; charset="utf-8"; version=1' },
      { 'content-type': 'application/json;' },
      { 'content-encoding': 'Identity' },
    ])('but not for %j', async (headers) => {
      expect((await api.ask('POST', PUSH, { token, headers, body: '{"data":[]}' })).json?.code).not.toBe(
        'UNSUPPORTED_MEDIA_TYPE',
      );
    });
  });

  describe('400 MALFORMED_BODY', () => {
    test.each<[string, string | Buffer]>([
      ['empty', ''],
      ['truncated', '{"data":['],
      ['not JSON', 'data'],
      ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
      ['an unpaired surrogate', '{"data":"\\ud800"}'],
      ['too deep', `${'['.repeat(33)}${']'.repeat(33)}`],
      ['duplicate keys', '{"data":[],"data":[]}'],
      ['__proto__', '{"data":[],"__proto__":{}}'],
      ['not finite', '{"data":1e400}'],
      ['past 2^53', '{"data":9007199254740993}'],
    ])('%s', async (_, body) => {
      expectError(await api.ask('POST', PUSH, { token, body }), 400, 'MALFORMED_BODY');
      const reset = await api.ask('POST', '/api/v1/channels/acme/markers/tickets/reset', {
        token: key,
        body,
      });
      // What is empty is `{}` to a reset, which lacks its timestamp.
      if (body === '') expectError(reset, 422, 'VALIDATION_ERROR');
      else expectError(reset, 400, 'MALFORMED_BODY');
    });
  });

  describe('the order of the checks', () => {
    const wrong = { headers: { 'content-type': 'text/plain' }, body: 'not JSON' };

    test('401, then 415, then 400, then 422', async () => {
      expectError(await api.ask('POST', PUSH, wrong), 401, 'UNAUTHENTICATED');
      expectError(await api.ask('POST', PUSH, { ...wrong, token }), 415, 'UNSUPPORTED_MEDIA_TYPE');
      expectError(await api.ask('POST', PUSH, { token, body: 'not JSON' }), 400, 'MALFORMED_BODY');
      expectError(await api.ask('POST', PUSH, { token, body: {} }), 422, 'VALIDATION_ERROR');
    });

    test('404 and 405, then 429 for the address, then 401', async () => {
      const strict = await startApi({ store: api.store, limits: { requestsOfAddressPerMinute: 0 } });
      expectError(await strict.ask('POST', '/api/v1/pushes', wrong), 404, 'NOT_FOUND');
      expectError(await strict.ask('GET', PUSH), 405, 'METHOD_NOT_ALLOWED');
      expectError(await strict.ask('POST', PUSH, wrong), 429, 'RATE_LIMITED');
    });

    test('401, then 429 for the caller, then the channel’s 404, then 413', async () => {
      const strict = await startApi({ store: api.store, limits: { requestsPerMinute: 0 } });
      const large = { ...wrong, body: Buffer.alloc(64 * 1024 + 1) };
      const reset = (slug: string, of?: string) => {
        const path = `/api/v1/channels/${slug}/markers/tickets/reset`;
        return strict.ask('POST', path, { ...large, ...(of !== undefined && { token: of }) });
      };
      expectError(await reset('acme'), 401, 'UNAUTHENTICATED');
      // Or a key would ask for other channels without a limit of its own.
      expectError(await reset('other', key), 429, 'RATE_LIMITED');
      expectError(await reset('acme', key), 429, 'RATE_LIMITED');
    });

    test('413 before 415, channel 404 before both', async () => {
      const large = { headers: { 'content-type': 'text/plain' }, body: Buffer.alloc(16 * 1024 * 1024 + 1) };
      expectError(await api.ask('POST', PUSH, { ...large, token }), 413, 'PAYLOAD_TOO_LARGE');
      const foreign = '/api/v1/channels/other/markers/tickets/reset';
      expectError(await api.ask('POST', foreign, { ...large, token: key }), 404, 'NOT_FOUND');
    });
  });

  describe('a parameter of the query that the route does not know', () => {
    const DRY_RUNS = ['dryrun', 'dryRun', 'dry-run', 'DRY_RUN', 'dry_run[]', 'dry_runs'];

    test.each(DRY_RUNS)(
      '?%s=true is refused with the name that it may mean, and nothing is stored',
      async (name) => {
        const stored = () => api.store.db.collection('push_receipts').countDocuments();
        const before = await stored();
        const answer = await api.ask('POST', `${PUSH}?${encodeURIComponent(name)}=true`, {
          token,
          body: pushOf(accounts(1)),
        });
        expectError(answer, 422, 'VALIDATION_ERROR');
        expect(answer.json.validation_messages).toEqual({
          [name]: ['is not a parameter of this request: is it dry_run?'],
        });
        expect(await stored()).toBe(before);
      },
    );

    test('by every route for a token, and nothing is reset', async () => {
      const own = await channelKey(api.store, 'asks');
      const tokens = { integration: token, channel: own };
      for (const { method, path, caller } of ROUTES) {
        if (caller !== 'integration' && caller !== 'channel') continue;
        const at = path
          .replace(':channel_slug', 'asks')
          .replace(/:(entity_)?type/, 'tickets')
          .replace(':request_id', 'x');
        const answer = await api.ask(method, `${at}?zz=1`, {
          token: tokens[caller],
          ...(method === 'POST' && { body: {} }),
        });
        expect([at, answer.status, answer.json.validation_messages?.zz]).toEqual([
          at,
          422,
          [expect.any(String)],
        ]);
      }
      const reset = '/api/v1/channels/asks/markers/accounts/reset?dryRun=true';
      expectError(await api.ask('POST', reset, { token: own, body: {} }), 422, 'VALIDATION_ERROR');
    });

    test('pages and open routes pass it over: mail programs and proxies add some', async () => {
      for (const path of ['/livez', '/openapi.json', '/sharing'])
        expect([path, (await api.ask('GET', `${path}?utm_source=mail`)).status < 400]).toEqual([path, true]);
    });
  });

  describe('429 RATE_LIMITED', () => {
    beforeEach(earlyInTheMinute);

    test('a body counts as one request for every 1,000 values', async () => {
      const strict = await startApi({ store: api.store, limits: { requestsPerMinute: 20 } });
      const own = await integrationToken(strict.store);
      const push = (values: number) => {
        const account = { id: '1', name: 'Meyer', x: Array.from({ length: values }, () => 0) };
        return strict.ask('POST', PUSH, { token: own, body: pushOf([account]) });
      };
      const statuses = [await push(9_500), await push(9_500), await push(10)].map(({ status }) => status);
      await strict.stop();
      expect(statuses).toEqual([204, 204, 429]);
    });

    test('or for every 64 KiB, unpacked, even where it cannot be unpacked to its end', async () => {
      const strict = await startApi({ store: api.store, limits: { requestsPerMinute: 30 } });
      const own = await integrationToken(strict.store);
      const text = pushOf([{ id: '1', name: 'Meyer', note: 'n'.repeat(10 * 64 * 1024) }]);
      const packed = gzipSync(JSON.stringify(text));
      const push = async (body: Buffer) => {
        const headers = { 'content-encoding': 'gzip' };
        return (await strict.ask('POST', PUSH, { token: own, body, headers })).status;
      };
      const bodies = [packed, packed, packed.subarray(0, -1), gzipSync('{}')];
      const statuses = [];
      for (const body of bodies) statuses.push(await push(body));
      await strict.stop();
      expect(statuses).toEqual([204, 204, 429, 429]);
    });

    test('or for every 40 records, however small', async () => {
      const strict = await startApi({ store: api.store, limits: { requestsPerMinute: 10 } });
      const own = await integrationToken(strict.store);
      const push = async (records: number) =>
        (await strict.ask('POST', PUSH, { token: own, body: pushOf(accounts(records)) })).status;
      const statuses = [await push(200), await push(400), await push(1)];
      await strict.stop();
      expect(statuses).toEqual([204, 429, 429]);
    });

    test('an answer counts by what is listed in it', async () => {
      const strict = await startApi({ store: api.store, limits: { requestsPerMinute: 20 } });
      const company = { id: 'lists', name: 'Lists Co-op' };
      const [pushes, lists] = [
        await integrationToken(api.store, company),
        await integrationToken(api.store, company),
      ];
      await api.ask('POST', PUSH, { token: pushes, body: pushOf(accounts(4 * 250)) });
      const note = 'n'.repeat(600 * 1024);
      const elevators = Array.from({ length: 3 }, (_, id) => ({ id: String(id), name: 'E', note }));
      const body = { data: [{ 'update-elevators': { elevators } }] };
      await api.ask('POST', PUSH, { token: pushes, body });
      const own = await channelKey(api.store, 'lists', { companies: ['lists'] });
      const listed = async () =>
        (await strict.ask('GET', '/api/v1/records/accounts', { token: lists })).status;
      const ofChannel = async (path: string) =>
        (await strict.ask('GET', `/api/v1/channels/lists/${path}`, { token: own })).status;
      const statuses = [];
      for (let time = 0; time < 6; time++) statuses.push(await listed());
      const ofElevators = [await ofChannel('elevators'), await ofChannel('markers')];
      await strict.stop();
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
      expect(ofElevators).toEqual([429, 429]);
    });

    test('and accounts that are shared, or were, by how many they are', async () => {
      const strict = await startApi({ store: api.store, limits: { requestsPerMinute: 6 } });
      const key = await channelKey(api.store, 'shares-many', { scope: 'subscribed' });
      const channel = (await findChannel(api.store, 'shares-many'))!;
      const shared = Array.from({ length: 2 * 250 }, (_, id) => ({
        ...{ channel: 'shares-many', partner_id: 'P', farmer: 'f' },
        account: `42-${id}`,
      }));
      await grantAccounts(api.store, channel, shared);
      const ask = async (query: string) =>
        (await strict.ask('GET', `/api/v1/channels/shares-many/subscriptions${query}`, { token: key }))
          .status;
      const granted = [await ask(''), await ask('')];
      await revokeAccounts(api.store, shared);
      const ended = [await ask('?ended=true'), await ask('?ended=true')];
      await strict.stop();
      expect([granted, ended]).toEqual([
        [200, 200],
        [200, 429],
      ]);
    });

    test('and a page that is collected by its bytes', async () => {
      const strict = await startApi({ store: api.store, limits: { requestsPerMinute: 20 } });
      const { channel, apiKey } = await addTestChannel(api.store, 'collects', 'https://acme.example', {
        delivery: 'pull',
      });
      const asked = async (bytes: number) => {
        await layTestPage(api.store, channel, { body: Buffer.alloc(bytes, ' '), asks: 99 });
        const path = '/api/v1/channels/collects/feed?entity_type=tickets';
        return (await strict.ask('GET', path, { token: apiKey })).status;
      };
      const statuses = [await asked(1_000), await asked(2 * MIB)];
      await strict.stop();
      expect(statuses).toEqual([200, 429]);
    });

    // A body that never ends is answered while it comes. How much of it lies in the kernel by then is the machine's doing.
    const chunked = async (strict: Api, own: string, frames: Buffer[], headers: string[] = []) => {
      const socket = net.connect(strict.port, '127.0.0.1').on('error', () => undefined);
      const head = ['Host: x', `Authorization: ${own}`, 'Content-Type: application/json', ...headers];
      socket.write(`POST ${PUSH} HTTP/1.1\r\n${head.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n`);
      const answered = once(socket, 'data') as Promise<[Buffer]>;
      let isAnswered = false;
      void answered.then(() => (isAnswered = true));
      for (const frame of frames) {
        if (isAnswered) break;
        if (!socket.write(frame)) await Promise.race([once(socket, 'drain'), answered]);
      }
      const [answer] = await answered;
      socket.destroy();
      return Number(/^HTTP\/1.1 (\d+) /.exec(String(answer))?.[1]);
    };
    const frame = (bytes: Buffer) =>
      Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
    const NAMED = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]); // its name has no end
    const UNPACKED_TO_NOTHING = [frame(NAMED), ...Array<Buffer>(40).fill(frame(Buffer.alloc(MIB, 'n')))];
    const FRAMED = Array<Buffer>(40).fill(Buffer.from(`1;${'e'.repeat(8_000)}\r\n \r\n`.repeat(128)));

    test.each([
      ['packed bytes that unpack to nothing', UNPACKED_TO_NOTHING, ['Content-Encoding: gzip']],
      ['the frames of chunks', FRAMED, []],
    ])('or for every 128 KiB on the way, as they come: %s', async (_, frames, headers) => {
      const strict = await startApi({ store: api.store, limits: { requestsPerMinute: 20 } });
      const status = await chunked(strict, await integrationToken(strict.store), frames, headers);
      await strict.stop();
      expect(status).toBe(429);
    });

    test('and no more of them is read before they are charged', async () => {
      const slow = rewire(api.store, async ({ collection, run }) => {
        if (collection === 'attempt_counts') await setTimeout(100);
        return run();
      });
      const strict = await startApi({ store: slow, limits: { requestsPerMinute: 20 } });
      const own = await integrationToken(strict.store);
      const status = await chunked(strict, own, UNPACKED_TO_NOTHING, ['Content-Encoding: gzip']);
      await strict.stop();
      expect(status).toBe(429);
    });

    test('packed bytes have an end, whatever they unpack to', async () => {
      const gzip = ['Content-Encoding: gzip'];
      expect(await chunked(api, await integrationToken(api.store), UNPACKED_TO_NOTHING, gzip)).toBe(413);
    });

    test('too many requests of one caller; another one is not held up', async () => {
      const strict = await startApi({ store: api.store, limits: { requestsPerMinute: 3 } });
      const [first, second] = [
        await channelKey(strict.store, 'first'),
        await channelKey(strict.store, 'second'),
      ];
      const statuses = [];
      for (let i = 0; i < 3; i++) {
        statuses.push((await strict.ask('GET', '/api/v1/channels/first/markers', { token: first })).status);
      }
      const refused = await strict.ask('GET', '/api/v1/channels/first/markers', { token: first });
      const other = await strict.ask('GET', '/api/v1/channels/second/markers', { token: second });
      await strict.stop();
      expect(statuses).toEqual([200, 200, 200]);
      expectError(refused, 429, 'RATE_LIMITED');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(other.status).toBe(200);
    });

    test('too many requests of one address, before any token is looked up', async () => {
      const strict = await startApi({ store: api.store, limits: { requestsOfAddressPerMinute: 2 } });
      const look = jest.spyOn(strict.store.db, 'collection');
      const answers = [];
      for (let i = 0; i < 3; i++) answers.push(await strict.ask('POST', PUSH, { token, body: pushOf([]) }));
      const lookedUp = look.mock.calls.filter(([name]) => name === 'integrations').length;
      const healthy = await strict.ask('GET', '/livez');
      look.mockRestore();
      await strict.stop();
      expect(answers.map(({ status }) => status)).toEqual([204, 204, 429]);
      expectError(answers[2]!, 429, 'RATE_LIMITED');
      expect([lookedUp, healthy.status]).toEqual([1, 200]); // kept for the second
    });

    test('too many failed authentications of one address; a good token still works', async () => {
      const strict = await startApi({ store: api.store, limits: { failedAuthenticationsPerMinute: 2 } });
      const good = await integrationToken(strict.store);
      const answers = [];
      for (let i = 0; i < 3; i++) answers.push(await strict.ask('POST', PUSH, { token: 'guess', body: {} }));
      const accepted = await strict.ask('POST', PUSH, { token: good, body: pushOf(accounts(1)) });
      await strict.stop();
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 429]);
      expect(accepted.status).toBe(204);
    });
  });

  test('500 INTERNAL says nothing of the inside, and the log says all', async () => {
    const broken = jest.spyOn(api.store.db, 'collection').mockImplementation(() => {
      throw new TypeError('a secret of the inside');
    });
    const answer = await api.ask('GET', '/api/v1/channels/acme/markers', { token: key });
    broken.mockRestore();
    expectError(answer, 500, 'INTERNAL');
    expect(answer.text).not.toMatch(/TypeError|secret|\.ts|node_modules/);
    expect(api.lines.find(({ msg }) => msg === 'request failed')).toMatchObject({
      level: 50,
      request_id: answer.json.request_id,
      error: { type: 'TypeError', stack: expect.stringContaining('.ts') },
    });
  });

  describe('X-Request-ID', () => {
    test.each(['a', '2f6a7d1e-ERP/7', '~!@#$%^&*()', 'x'.repeat(128)])(
      'visible ASCII is used (%#)',
      async (id) => {
        const refused = await api.ask('POST', PUSH, { headers: { 'x-request-id': id } });
        expect(refused.headers['x-request-id']).toBe(id);
        expectError(refused, 401, 'UNAUTHENTICATED');
        expect(
          (await api.ask('GET', '/livez', { headers: { 'x-request-id': id } })).headers['x-request-id'],
        ).toBe(id);
      },
    );

    test.each(['', 'x'.repeat(129), 'two words', 'caf\u00e9'])(
      'anything else gives way to a UUID (%#)',
      async (id) => {
        const answer = await api.ask('GET', '/nope', { headers: { 'x-request-id': id } });
        expect(answer.headers['x-request-id']).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
        expectError(answer, 404, 'NOT_FOUND');
      },
    );
  });

  test('the trace that the caller names is in the log line, and nothing that is none', async () => {
    const id = '4bf92f3577b34da6a3ce929d0e0e4736';
    const logged = async (traceparent: string) => {
      await api.ask('GET', '/nope', { headers: { traceparent } });
      return api.lines.filter(({ msg }) => msg === 'request').at(-1)!['trace_id'];
    };
    expect(await logged(`00-${id}-00f067aa0ba902b7-01`)).toBe(id);
    expect(await logged(`00-7015557391-00f067aa0ba902b7-01`)).toBeUndefined();
  });

  describe('what never becomes a request', () => {
    test.each([
      ['not HTTP', 'hello\r\n\r\n', 400, 'MALFORMED_REQUEST'],
      [
        'two lengths',
        'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
        400,
        'MALFORMED_REQUEST',
      ],
      [
        'length and chunks',
        'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
        400,
        'MALFORMED_REQUEST',
      ],
      [
        'huge headers',
        `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`,
        431,
        'HEADERS_TOO_LARGE',
      ],
      [
        'huge headers, a thousand small ones first',
        `GET /livez HTTP/1.1\r\nHost: x\r\n${'a:\r\n'.repeat(1_500)}A: ${'a'.repeat(20_000)}\r\n\r\n`,
        431,
        'HEADERS_TOO_LARGE',
      ],
      [
        'a second host behind a thousand headers',
        `GET /livez HTTP/1.1\r\nHost: x\r\n${'a:\r\n'.repeat(1_500)}Host: y\r\n\r\n`,
        400,
        'MALFORMED_REQUEST',
      ],
      [
        'a query of 3,000 parameters',
        `GET /sharing?${'a&'.repeat(3_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
        431,
        'HEADERS_TOO_LARGE',
      ],
      [
        'an address instead of a path',
        'GET http://x/livez HTTP/1.1\r\nHost: x\r\n\r\n',
        400,
        'MALFORMED_REQUEST',
      ],
      ['an address of another host', 'GET http://[ HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    ])('%s', async (_, sent, status, code) => {
      const socket = net.connect(api.port, '127.0.0.1');
      socket.write(sent);
      const answer = await text(socket);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(JSON.parse(answer.split('\r\n\r\n')[1] as string)).toEqual({
        code,
        message: expect.any(String),
        request_id: expect.any(String),
      });
    });
  });

  test('no answer is kept on its way, taken for another type, or asked for in the clear a second time', async () => {
    const { headers } = await api.ask('GET', '/api/v1/channels/acme/markers', { token: key });
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'strict-transport-security': expect.stringMatching(/^max-age=\d{8}/),
    });
  });

  slowTest(
    'a connection is kept for longer than its callers are told: none closes under a request',
    async () => {
      const socket = net.connect(api.port, '127.0.0.1');
      const ask = async () => {
        socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
        const [answer] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [unknown];
        return String(answer);
      };
      const told = /^keep-alive: timeout=(\d+)\r$/im.exec(await ask())?.[1];
      expect(told).toBe('5');
      await setTimeout(Number(told) * 1_000 + 1_500); // the clock of undici’s pool is up to a second late
      expect(await ask()).toMatch(/^HTTP\/1.1 200 /);
      socket.destroy();
    },
  );

  test('nothing that identifies a person or opens a door is logged', async () => {
    await api.ask('POST', `${PUSH}?phone=7015550142`, { token, body: pushOf(accounts(2, 7001)) });
    await api.ask('POST', PUSH, { token, body: pushOf(accounts(2, 7001)) });
    await api.ask('POST', PUSH, {
      token,
      body: pushOf([{ id: '1', name: 'Meyer', phones: [{ phone: 'x' }] }]),
    });
    const lines = JSON.stringify(api.lines);
    expect(lines).not.toMatch(/7015550142|Meyer/);
    expect(lines).not.toContain(token);
    expect(lines).not.toContain(key);
    expect(api.lines.at(-2)).toMatchObject({
      msg: 'request',
      method: 'POST',
      path: PUSH,
      status: 204,
      changed: 2,
    });
  });
});

describe('readiness', () => {
  test('each question about its health finds how the parts are by then', async () => {
    const [up, down] = [hearingSignals(true).temporal, hearingSignals(false).temporal];
    let now = up;
    const api = await startApi({ temporal: { ...up, ping: () => now.ping() } });
    const temporal = async () => (await api.ask('GET', '/readyz')).json.parts.temporal.status;
    const seen = [await temporal()];
    now = down;
    seen.push(await temporal());
    now = up;
    seen.push(await temporal());
    expect(seen).toEqual(['up', 'down', 'up']);
  });

  test('before the store is prepared, and once it drains, it is alive, not ready, and takes nothing', async () => {
    const api = await startApi({ phase: 'starting' });
    const token = await integrationToken(api.store);
    for (const phase of ['starting', 'draining'] as const) {
      api.serving.phase = phase;
      expectError(
        await api.ask('POST', '/api/v1/push', { token, body: pushOf(accounts(1)) }),
        503,
        'UNAVAILABLE',
      );
      expect((await api.ask('GET', '/livez')).status).toBe(200);
      const ready = await api.ask('GET', '/readyz');
      expect([ready.status, ready.json.phase]).toEqual([503, phase]);
    }
    expect(await api.store.db.collection('accounts').countDocuments()).toBe(0);
  });
});

describe('kept integrations', () => {
  test('what a token opens is looked up again after three seconds, however often it is used meanwhile', async () => {
    const store = await emptyStore();
    const company = { id: '42', name: 'Prairie Co-op' };
    const [one, other] = [
      await addIntegration(store, { name: 'agris', company }),
      await addIntegration(store, { name: 'second', company }),
    ];
    const find = createIntegrationFinder(store);
    const began = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(began);
    try {
      const opens = async (ms: number, { token }: { token: string } = one) => {
        clock.mockReturnValue(began + ms);
        return (await find(token, hashToken(token)))?.name;
      };
      expect([await opens(0), await opens(1_000, other)]).toEqual(['agris', 'second']);
      await integrationTokens.revoke(store, one.integration._id, 'all');
      expect([await opens(1_500), await opens(2_900), await opens(3_001)]).toEqual([
        'agris',
        'agris',
        undefined,
      ]);
      expect(await opens(3_002, other)).toBe('second');
    } finally {
      clock.mockRestore();
    }
  });
});
