import { createServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createAgent } from '../../outbound/create-agent';
import { ProxyAway } from '../../outbound/open-tunnel';
import { postPage } from '../../outbound/post-page';
import { LOOPBACK, loopbackAgent } from '../setup/loopback-agent';
import { startProxy } from '../setup/start-proxy';
import { AUTHORITY, OddCustomer, says, saysAndLeaves } from './odd-customer';
import { serveHere } from '../setup/serve-here';

const PAGE = { headers: { 'content-type': 'application/json' }, body: Buffer.from('{"data":[]}') };
const INTERIM = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n';
const CONFIRMS = ['HTTP/1.1 204 No Content', '', ''];

type Proxy = Awaited<ReturnType<typeof startProxy>>;

function agentThrough(proxy: Pick<Proxy, 'url'>, addresses: string[], more = {}) {
  const agent = loopbackAgent({
    outboundProxy: proxy.url,
    ca: AUTHORITY,
    resolver: (_name, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    ...more,
  });
  return agent;
}

const post = (agent: ReturnType<typeof createAgent>, url: string) =>
  postPage(agent, { ...PAGE, url }, new AbortController().signal, async () => true);

test('a page goes through the proxy, by CONNECT to the address that was checked and never to the name', async () => {
  const [proxy, customer] = [await startProxy(), await OddCustomer.start(says(...CONFIRMS), 'good')];
  const agent = agentThrough(proxy, ['127.0.0.1']);
  const url = `https://customer.example:${customer.port}/feed`;
  expect(await post(agent, url)).toMatchObject({ status: 204 });
  expect(await post(agent, url)).toMatchObject({ status: 204 });
  const credentials = Buffer.from('gdx:pass:word').toString('base64');
  expect([...new Set(proxy.asked)]).toEqual([
    `CONNECT 127.0.0.1:${customer.port} HTTP/1.1\r\nHost: 127.0.0.1:${customer.port}\r\nProxy-Authorization: Basic ${credentials}\r\n\r\n`,
  ]);
});

test('without TLS too, where that is allowed', async () => {
  const [proxy, customer] = [await startProxy(), await OddCustomer.start(says(...CONFIRMS))];
  const agent = agentThrough(proxy, ['127.0.0.1']);
  expect(await post(agent, `http://customer.example:${customer.port}/feed`)).toMatchObject({ status: 204 });
  expect(proxy.asked).toHaveLength(1);
});

test.each([
  ['a host that is denied', 'https://169.254.169.254/feed', ['127.0.0.1']],
  ['a name that resolves to one', 'https://customer.example/feed', ['93.184.216.34', '10.0.0.5']],
])('%s is blocked before the proxy is asked', async (_, url, addresses) => {
  const proxy = await startProxy();
  const answer = await post(agentThrough(proxy, addresses), url);
  expect([answer, proxy.asked]).toEqual([expect.objectContaining({ problem: 'blocked' }), []]);
});

test('an address that is another one when the proxy is asked is not asked for', async () => {
  const proxy = await startProxy();
  let reads = 0;
  const shifting = Object.defineProperty({ family: 4, address: '' }, 'address', {
    get: () => (reads++ === 0 ? '93.184.216.34' : '10.0.0.5'),
  });
  const resolver = (_name: string, _options: object, done: (error: null, all: never[]) => void) =>
    done(null, [shifting as never]);
  const answer = await post(agentThrough(proxy, [], { resolver }), 'https://customer.example/feed');
  expect([answer, proxy.asked]).toEqual([expect.objectContaining({ problem: 'blocked' }), []]);
});

test('the certificate is the customer’s, and has to hold', async () => {
  const proxy = await startProxy();
  const customer = await OddCustomer.start(says(...CONFIRMS), 'other-name');
  const agent = agentThrough(proxy, ['127.0.0.1']);
  for (let attempt = 0; attempt < 2; attempt++)
    expect(await post(agent, `https://customer.example:${customer.port}/feed`)).toMatchObject({
      problem: 'tls',
    });
});

test('what the proxy cannot reach is tried by the next address, and is the customer’s trouble', async () => {
  const customer = await OddCustomer.start(says(...CONFIRMS), 'good');
  const isFirst = (authority: string) => authority.startsWith('127.0.0.2:');
  const proxy = await startProxy((authority) =>
    isFirst(authority) ? 'HTTP/1.1 502 Bad Gateway\r\n\r\n' : undefined,
  );
  const url = `https://customer.example:${customer.port}/feed`;
  expect(await post(agentThrough(proxy, ['127.0.0.2', '127.0.0.1']), url)).toMatchObject({ status: 204 });
  expect(await post(agentThrough(proxy, ['127.0.0.2']), url)).toMatchObject({
    problem: 'unreachable',
    detail: 'could not be reached through the outbound proxy (502)',
  });
});

test.each([
  ['forbids it', 'HTTP/1.1 403 Forbidden\r\n\r\n'],
  ['does not know us', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'],
  ['is none', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
  ['hangs up', ''],
])('a proxy that %s is our trouble and not the customer’s', async (_, refusal) => {
  const proxy = await startProxy(() => refusal);
  await expect(post(agentThrough(proxy, ['127.0.0.1']), 'https://customer.example/feed')).rejects.toThrow(
    ProxyAway,
  );
});

test('an interim answer to CONNECT is none: the one behind it counts', async () => {
  const customer = await OddCustomer.start(says(...CONFIRMS), 'good');
  const [proxy, url] = [
    await startProxy(() => undefined, {}, INTERIM),
    `https://customer.example:${customer.port}/feed`,
  ];
  expect(await post(agentThrough(proxy, ['127.0.0.1']), url)).toMatchObject({ status: 204 });
});

test('interim answers without an end are no answer', async () => {
  const proxy = await startProxy(() => INTERIM.repeat(2_000));
  await expect(post(agentThrough(proxy, ['127.0.0.1']), 'https://customer.example/feed')).rejects.toThrow(
    ProxyAway,
  );
});

test.each([
  ['429 of a proxy that has too much to do', '429 Too Many Requests', '', 'ours'],
  ['503 of such a proxy', '503 Service Unavailable', 'Retry-After: 5', 'ours'],
  ['511 of a network that wants a sign-in', '511 Network Authentication Required', '', 'ours'],
  ['302 to a portal', '302 Found', 'Location: http://portal.example/', 'ours'],
  [
    '503 of Squid, which names the customer',
    '503 Service Unavailable',
    'X-Squid-Error: ERR_CONNECT_FAIL 111',
    'theirs',
  ],
  ['503 of RFC 9209', '503 Service Unavailable', 'Proxy-Status: p; error=connection_refused', 'theirs'],
  ['504', '504 Gateway Timeout', '', 'theirs'],
])('%s to CONNECT is trouble of whom it is', async (_, status, header, whose) => {
  const proxy = await startProxy(() => `HTTP/1.1 ${status}\r\n${header && `${header}\r\n`}\r\n`);
  const answer = post(agentThrough(proxy, ['127.0.0.1']), 'https://customer.example/feed');
  if (whose === 'ours') await expect(answer).rejects.toThrow(ProxyAway);
  else expect(await answer).toMatchObject({ problem: 'unreachable' });
});

test('a proxy that is not there is our trouble', async () => {
  const proxy = await startProxy();
  await proxy.stop();
  await expect(post(agentThrough(proxy, ['127.0.0.1']), 'https://customer.example/feed')).rejects.toThrow(
    'the outbound proxy: ECONNREFUSED',
  );
});

test('one that answers nothing takes no longer than the time to connect', async () => {
  const silent = createServer((socket) => void socket.on('error', () => {}));
  const url = new URL((await serveHere(silent)).url);
  const agent = agentThrough({ url }, ['127.0.0.1', '127.0.0.2'], { limits: { connectMs: 100 } });
  expect(await post(agent, 'https://customer.example/feed')).toMatchObject({ problem: 'timeout' });
});

describe.each(['directly', 'through a proxy'])('%s', (way) => {
  test('the next connection goes on with the TLS session of the one before; one that did not hold is none', async () => {
    const resumed: boolean[] = [];
    const customer = await OddCustomer.start((socket, connection) => {
      resumed.push((socket as TLSSocket).isSessionReused());
      saysAndLeaves(...CONFIRMS)(socket, connection);
    }, 'good');
    const proxy = await startProxy();
    const outboundProxy = way === 'directly' ? undefined : proxy.url;
    const agent = agentThrough(proxy, ['127.0.0.1'], { outboundProxy, rule: LOOPBACK });
    const url = `https://customer.example:${customer.port}/feed`;
    for (let page = 0; page < 3; page++) expect(await post(agent, url)).toMatchObject({ status: 204 });
    expect(resumed).toEqual([false, true, true]);
    const other = await OddCustomer.start(says(...CONFIRMS), 'other-name');
    for (let page = 0; page < 3; page++)
      expect(await post(agent, `https://customer.example:${other.port}/feed`)).toMatchObject({
        problem: 'tls',
      });
  });
});
