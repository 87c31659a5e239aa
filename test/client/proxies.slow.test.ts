import { createServer } from 'node:https';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { startNode } from '../setup/processes';
import { startProxy } from '../setup/start-proxy';
import { temporaryFolder } from '../setup/temporary-folder';
import { serveHere } from '../setup/serve-here';

// gdx.mjs as an engineer has it behind a company's proxy: only that knows the way to the service.

const CLIENT = path.join(checkout, 'dist/downloads/gdx.mjs');
const pem = (name: string) => path.join(checkout, 'test/outbound/certificates', `${name}.pem`);
const token = `gdx_erp_test_${'0a'.repeat(15)}`;

const folder = temporaryFolder('proxies');
writeFileSync(path.join(folder, 'tickets.csv'), 'Ticket,Acct,Net\nT1,A7,100\n');
writeFileSync(
  path.join(folder, 'mapping.json'),
  JSON.stringify({ type: 'tickets', record: { id: 'Ticket', account_id: 'Acct' } }),
);

writeFileSync(path.join(folder, 'held.json'), '{}');

let port: number;
let asked: string[];
let proxy: Awaited<ReturnType<typeof startProxy>>;
beforeAll(async () => {
  const service = createServer(
    { key: readFileSync(pem('key')), cert: readFileSync(pem('good')) },
    (request, response) => {
      asked.push(`${request.headers.host} ${request.url}`);
      request.resume();
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end('{"code":"UNAUTHENTICATED","message":"no"}');
    },
  );
  ({ port } = await serveHere(service));
});
beforeEach(async () => {
  asked = [];
  proxy = await startProxy(undefined, KNOWN);
});

async function run(args: string[], env: Record<string, string>) {
  const { PATH = '' } = process.env;
  const running = startNode([CLIENT, ...args], { PATH, GDX_TOKEN: token, ...env }, folder);
  const code = await running.ended;
  return { code, out: running.lines.join('\n') };
}

const KNOWN = { 'customer.example': '127.0.0.1' };
const trusting = { NODE_EXTRA_CA_CERTS: pem('ca') };
const url = () => `https://customer.example:${port}`;
const check = (env: Record<string, string>, at = url()) => run(['check', '--url', at], env);
const proxied = (more = {}) => ({ HTTPS_PROXY: proxy.url.href, ...trusting, ...more });

test.each([
  ['check', (at: string) => ['check', '--url', at]],
  ['push', (at: string) => ['push', 'tickets.csv', '--mapping', 'mapping.json', '--url', at]],
])('%s goes through HTTPS_PROXY, with its user', async (_name, args) => {
  const { out } = await run(args(url()), proxied());
  expect(out).toMatch(/the service: no|401 UNAUTHENTICATED/);
  expect(asked[0]).toMatch(/^customer\.example:\d+ \/api\/v1\/(check|push)/);
  expect(proxy.asked[0]).toMatch(/^CONNECT customer\.example:\d+ HTTP\/1\.1\r\n/);
  expect(proxy.asked[0]).toMatch(/^proxy-authorization: Basic /im);
});

test('so do listen and compare', async () => {
  const key = { GDX_TOKEN: token.replace('erp', 'channel'), GDX_URL: url() };
  await run(['listen', 'acme', '--forward-to', 'http://127.0.0.1:9', '--url', url()], proxied(key));
  await run(['compare', 'acme', 'tickets'], proxied(key));
  expect(asked.map((each) => each.replace(/\?.*/, ''))).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/channels\/acme\/(markers|feed)$/),
      expect.stringMatching(/channels\/acme\/digest/),
    ]),
  );
});

test.each([{ NO_PROXY: 'customer.example' }, { no_proxy: '.example' }, { NO_PROXY: '*' }])(
  'with %j the proxy is not asked',
  async (more) => {
    const { code, out } = await check(proxied(more));
    expect([code, proxy.asked]).toEqual([69, []]);
    expect(out).toMatch(
      /no such service at https:\/\/customer\.example:\d+ \(ENOTFOUND\); check the host in --url; behind a proxy set HTTPS_PROXY/,
    );
  },
);

test('what is on this machine is reached directly', async () => {
  await check(proxied(), `https://127.0.0.1:${port}`);
  expect([asked.length, proxy.asked]).toEqual([1, []]);
});

const PUSH = ['push', 'tickets.csv', '--mapping', 'mapping.json', '--retry-for', '1s'];

test.each([
  [
    'HTTP/1.1 407 Proxy Authentication Required',
    /the proxy 127\.0\.0\.1:\d+ refused .* \(407\); give its user and password in HTTPS_PROXY/,
  ],
  [
    'HTTP/1.1 403 Forbidden',
    /the proxy 127\.0\.0\.1:\d+ refused .* \(403\); ask whoever runs the proxy that HTTPS_PROXY names, or name/,
  ],
  [
    'HTTP/1.1 503 Service Unavailable',
    /the proxy 127\.0\.0\.1:\d+ answers 503, .*; ask whoever runs the proxy that HTTPS_PROXY names, or name/,
  ],
  ['HTTP/1.1 302 Found', /the proxy 127\.0\.0\.1:\d+ answers 302, .*HTTPS_PROXY/],
  ['SSH-2.0-OpenSSH', /the proxy 127\.0\.0\.1:\d+ does not answer \(HTTPParserError\).*; check HTTPS_PROXY/],
  ['', /the proxy 127\.0\.0\.1:\d+ does not answer \(ECONNRESET\).*; check HTTPS_PROXY/],
])('a proxy that answers %j is named, with its setting and what to do', async (status, says) => {
  await proxy.stop();
  proxy = await startProxy(() => status && `${status}\r\ncontent-length: 0\r\n\r\n`);
  const { code, out } = await run([...PUSH, '--url', url()], proxied());
  expect([code, out.split('\n').at(-1)]).toEqual([69, expect.stringMatching(says)]);
  expect(proxy.asked.length).toBeLessThan(10);
});

test('while a folder is watched, a way to the service that is not there at first is waited for, and no file is refused for it', async () => {
  await proxy.stop();
  let isOpen = false;
  proxy = await startProxy(() => (isOpen ? undefined : 'HTTP/1.1 403 Forbidden\r\n\r\n'), KNOWN);
  const exports = path.join(folder, 'exports');
  mkdirSync(exports);
  copyFileSync(path.join(folder, 'tickets.csv'), path.join(exports, 'tickets.csv'));
  const { PATH = '' } = process.env;
  const args = ['push', exports, '--watch', '--every', '1s', '--mapping', 'mapping.json', '--url', url()];
  const watching = startNode([CLIENT, ...args], { PATH, GDX_TOKEN: token, ...proxied() }, folder);
  await watching.heard('(403)');
  expect(watching.lines.at(-1)).toMatch(
    /the proxy 127\.0\.0\.1:\d+ refused .* \(403\); ask whoever runs the proxy .*: trying again in \d+ s/,
  );
  expect(readFileSync(path.join(exports, '.gdx-push/refused.txt'), 'utf8')).toBe('');
  isOpen = true;
  expect(await watching.heard('the service answered 401')).toContain('check the token');
});

test('a proxy that refuses the connection is named, with its setting and what to do, while it is tried again', async () => {
  await proxy.stop();
  const away = `127.0.0.1:${proxy.port}`;
  const says = new RegExp(
    `the proxy ${away} does not answer \\(ECONNREFUSED\\).*; check HTTPS_PROXY, or name`,
  );
  for (const args of [PUSH, ['check']])
    expect(await run([...args, '--url', url()], proxied())).toEqual({
      code: 69,
      out: expect.stringMatching(says),
    });
});

test.each(['socks5://proxy.example', 'http://u:s3cr/tPW@proxy.example', '"http://proxy.example"'])(
  'HTTPS_PROXY=%s is refused, and not repeated',
  async (HTTPS_PROXY) => {
    const { code, out } = await check({ HTTPS_PROXY });
    expect([code, out]).toEqual([78, expect.stringMatching(/HTTPS_PROXY (must be a URL|has quotes)/)]);
    expect(out).not.toContain('tPW');
  },
);
