import { once } from 'node:events';
import http from 'node:http';
import { gzipSync } from 'node:zlib';
import { setAccess } from '../../store/channels/set-access';
import { addIntegration } from '../../store/callers/integrations';
import { MOST_CPU_MS, withCpuTime } from './cpu-time';
import { accounts, pushOf, startApi, type Api } from './start-api';

// Whatever RFC 9110 calls the same value: blanks and tabs around it, upper and lower case, lists and repeated lines.

let api: Api;
let token: string;
beforeAll(async () => {
  api = await startApi({ farmer: { trustedProxies: 1 } });
  const added = await addIntegration(api.store, {
    name: 'ERP',
    company: { id: '42', name: 'Prairie Co-op' },
  });
  token = added.token;
  await setAccess(api.store, added.integration._id, { addresses: ['203.0.113.0/24', '2001:db8::/32'] });
});

type Headers = Record<string, string | string[]>;
const BODY = JSON.stringify(pushOf(accounts(1)));
const FROM = '203.0.113.7';

/** By Node's own client, which sends header values as they are. */
async function push(changes: (token: string) => Headers, body: string | Buffer = BODY) {
  const headers = { authorization: token, 'content-type': 'application/json', 'x-forwarded-for': FROM };
  const path = '/api/v1/push';
  const request = http.request({
    port: api.port,
    method: 'POST',
    path,
    headers: { ...headers, ...changes(token) },
  });
  request.end(body);
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
  answer.resume();
  return { status: answer.statusCode, requestId: answer.headers['x-request-id'] };
}

test.each<[name: string, (token: string) => Headers]>([
  ['blanks around the token', (key) => ({ authorization: ` \t${key} \t` })],
  ['bearer in lower case', (key) => ({ authorization: `bearer ${key}` })],
  ['two blanks after Bearer', (key) => ({ authorization: `Bearer  ${key}` })],
  ['a tab after Bearer', (key) => ({ authorization: `Bearer\t${key}` })],
  ['blanks around the type', () => ({ 'content-type': ' application/json \t' })],
  ['a type in capitals', () => ({ 'content-type': 'Application/JSON; Charset="UTF-8"' })],
  ['blanks before the semicolon', () => ({ 'content-type': 'application/json \t;\tcharset=utf-8 ' })],
  ['identity', () => ({ 'content-encoding': ' Identity ' })],
  ['an empty encoding', () => ({ 'content-encoding': '' })],
  ['identity twice', () => ({ 'content-encoding': ['identity', 'identity'] })],
])('%s is taken', async (_name, changes) => expect((await push(changes)).status).toBe(204));

test.each(['gzip', ' GZIP \t', 'x-gzip', 'identity, gzip', 'gzip ,identity', ',gzip,'])(
  'a body packed as %j is unpacked',
  async (encoding) => {
    expect((await push(() => ({ 'content-encoding': encoding }), gzipSync(BODY))).status).toBe(204);
  },
);

test.each<[given: string | string[], seen: string | undefined]>([
  [' r-1\t', 'r-1'],
  [['r-2', 'r-2'], 'r-2'],
  ['r-3, r-3', 'r-3'],
  ['r-6 ,r-6\t,\tr-6', 'r-6'],
  [['r-4', 'r-5'], undefined],
  ['a,b', 'a,b'],
  ['a b', undefined],
])('X-Request-ID %j is read as %j', async (given, seen) => {
  const { status, requestId } = await push(() => ({ 'x-request-id': given }));
  expect(status).toBe(204);
  expect(requestId).toEqual(seen ?? expect.stringMatching(/^[0-9a-f-]{36}$/));
});

const MANY = 15_000;

// They come before any token is looked at. Node takes 16 KiB of headers.
test.each<[what: string, options: http.RequestOptions]>([
  ['an X-Request-ID with many blanks', { headers: { 'x-request-id': `a${' '.repeat(MANY)}b` } }],
  ['an Accept with many quotes', { path: '/DOCS', headers: { accept: `"${',""'.repeat(MANY / 3)}` } }],
  ['a path with many stops', { path: `/${'.'.repeat(MANY)}x` }],
])('%s holds up nobody', async (_what, options) => {
  const { result, cpuMs } = await withCpuTime(async () => {
    const statuses: unknown[] = [];
    for (let time = 0; time < 10; time++) {
      const request = http.get({ port: api.port, agent: false, ...options });
      const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
      answer.resume();
      statuses.push(answer.statusCode);
    }
    return statuses;
  });
  expect(result).toEqual(Array(10).fill(404));
  expect(cpuMs).toBeLessThan(MOST_CPU_MS);
});

test.each([
  ' 203.0.113.7 ',
  '203.0.113.7:52011',
  '198.51.100.1:1 ,\t203.0.113.7:52011',
  '2001:db8::7',
  '[2001:db8::7]',
  '[2001:DB8::7]:443',
  '::ffff:203.0.113.7',
])('a proxy may name its caller %j', async (named) => {
  expect((await push(() => ({ 'x-forwarded-for': named }))).status).toBe(204);
});

test.each([
  '198.51.100.1:52011',
  '[2001:db9::7]:443',
  '203.0.113.7, 198.51.100.1',
  '203.0.113.7:',
  '[203.0.113.7',
])('%j is not the address that the token is bound to', async (named) =>
  expect((await push(() => ({ 'x-forwarded-for': named }))).status).toBe(401),
);
