import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { createHttpServer } from '../../api/server/http-server';
import { slowTest } from '../setup/cases';
import { type Api, accounts, integrationToken, pushOf, startApi } from './start-api';
import { serveHere } from '../setup/serve-here';

let api: Api;
beforeAll(async () => {
  api = await startApi({ farmer: { trustedProxies: 1 } });
});

const connect = () => net.connect({ port: api.port, host: '127.0.0.1', allowHalfOpen: true });

test('a client that closes its sending side gets its answer', async () => {
  const token = await integrationToken(api.store);
  const body = JSON.stringify(pushOf(accounts(3)));
  const socket = connect();
  socket.end(
    `POST /api/v1/push HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(await text(socket)).toMatch(/^HTTP\/1.1 204 /);
});

test.each([
  ['1.0', 'HTTP/1.1 204 '],
  ['1.1', 'HTTP/1.1 100 Continue'],
])('of a client of HTTP/%s the first answer to an expectation is %s', async (version, first) => {
  const token = await integrationToken(api.store, { id: `6${version.at(-1)}`, name: 'Old' });
  const body = JSON.stringify(pushOf(accounts(1)));
  const socket = connect();
  socket.write(
    `POST /api/v1/push HTTP/${version}\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\n` +
      `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  if (version === '1.0') socket.write(body);
  const [said] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  expect(said.toString()).toMatch(new RegExp(`^${first}`));
});

test('cookies of others keep no farmer out, however long they are', async () => {
  const cookie = Array.from({ length: 12 }, (_, index) => `other${index}=${'x'.repeat(4_000)}`).join('; ');
  const page = await api.ask('GET', '/sharing', { headers: { cookie, accept: 'text/html' } });
  expect([page.status, page.headers['content-type']]).not.toContain(431);
  expect(page.status).toBeLessThan(400);
});

test('an answer that is read too slowly is cut off after three minutes: it holds a page', async () => {
  const realTimeout = globalThis.setTimeout;
  const sooner = (run: () => void, ms?: number) => realTimeout(run, ms === 3 * 60_000 ? 200 : ms);
  const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation(sooner as typeof realTimeout);
  const large = Buffer.alloc(30 * 2 ** 20);
  const server = createHttpServer((_, res) => res.end(large), { trustedProxies: 0, ofAddress: 9 });
  const { port } = await serveHere(server);
  const socket = net.connect(port, '127.0.0.1').pause();
  socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const reading = setInterval(() => socket.read(10), 20);
  const closed = new Promise((ended) =>
    server.on('connection', (theirs: net.Socket) => theirs.once('close', () => ended('cut off'))),
  );
  expect(await Promise.race([closed, setTimeout(5_000, 'left open', { ref: false })])).toBe('cut off');
  timers.mockRestore();
  clearInterval(reading);
  socket.destroy();
});

describe('a connection without a request', () => {
  test('is kept for longer than any gateway keeps it, where there is one', () => {
    const keptBy = (trustedProxies: number) =>
      createHttpServer(() => undefined, { trustedProxies, ofAddress: 1 }).keepAliveTimeout;
    expect([keptBy(0), keptBy(1), keptBy(2)]).toEqual([8_000, 3_900_000, 3_900_000]);
  });

  slowTest('outlives the time for headers, and what its callers are told without a gateway', async () => {
    const socket = connect();
    const ask = async () => {
      socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
      const [answer] = (await Promise.race([once(socket, 'data'), once(socket, 'end')])) as [unknown];
      return String(answer);
    };
    expect(await ask()).toMatch(/^HTTP\/1.1 200 [^]*\r\nKeep-Alive: timeout=3600\r\n/);
    await setTimeout(14_000);
    expect(await ask()).toMatch(/^HTTP\/1.1 200 /);
    socket.destroy();
  });
});
