import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { cases } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { accounts, integrationToken, pushOf, startApi, type Api } from './start-api';

const CALLERS = cases(60, 500);
// The limits of the server (SECURITY.md), and how often they are checked.
const [HEADERS_S, REQUEST_S, CHECK_S] = [10, 30, 2];
const UNREAD_S = 60; // an answer of which nothing is read: twice the time, as Node looks twice before it closes
const QUIET_S = 5; // a connection kept alive without a request

let api: Api;
let token: string;

beforeAll(async () => {
  api = await startApi({
    limits: { requestsInProgressOfErp: CALLERS, connectionsOfAddress: 2 * CALLERS },
  });
  token = await integrationToken(api.store);
});

interface Caller {
  socket: net.Socket;
  /** Seconds until the service closed the connection, and what it said before. */
  closed: Promise<{ after: number; said: string }>;
}

/** Sends `begins`, then a little of `drip` every second, or nothing at all. */
function call(begins: string, drip?: string): Caller {
  const socket = net.connect(api.port, '127.0.0.1');
  const began = performance.now();
  let said = '';
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => (said += chunk.toString()));
  socket.write(begins);
  const dripping = drip ? setInterval(() => socket.writable && socket.write(drip), 1_000) : undefined;
  const closed = once(socket, 'close').then(() => {
    clearInterval(dripping);
    return { after: (performance.now() - began) / 1_000, said };
  });
  return { socket, closed };
}

const head = (more: string) =>
  `POST /api/v1/push HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\n${more}`;

test(`${CALLERS} slow callers are closed in their time, and the others never notice`, async () => {
  const kinds = [
    { name: 'says nothing', within: HEADERS_S, make: () => call('') },
    {
      name: 'slow headers',
      within: HEADERS_S,
      make: () => call('POST /api/v1/push HTTP/1.1\r\n', 'X: y\r\n'),
    },
    { name: 'headers without an end', within: HEADERS_S, make: () => call(head('')) },
    { name: 'a slow body', within: REQUEST_S, make: () => call(head('Content-Length: 9000\r\n\r\n{'), ' ') },
    {
      name: 'a body that stops',
      within: REQUEST_S,
      make: () => call(head('Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n')),
    },
    {
      name: 'kept alive, then silent',
      within: QUIET_S,
      make: () => call('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'),
    },
    // those that take half a minute to be closed are for the long suite
  ].filter(({ within }) => within < REQUEST_S || CALLERS > 100);
  const callers = Array.from({ length: CALLERS }, (_, index) => {
    const kind = kinds[index % kinds.length]!;
    return { kind, ...kind.make() };
  });
  const half = Array.from({ length: CALLERS / 25 }, () => {
    const socket = net.connect({ port: api.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined).end(head('Content-Length: 9000\r\n\r\n{')); // has said all it will say
    return once(socket.resume(), 'close');
  });
  const all = Promise.all(callers.map(({ closed }) => closed));
  let over = false;
  void all.then(() => (over = true));

  const times: number[] = [];
  while (!over) {
    const began = performance.now();
    const answer = await api.ask('POST', '/api/v1/push', { token, body: pushOf(accounts(1, times.length)) });
    expect(answer.status).toBe(204);
    times.push(performance.now() - began);
    await sleep(100);
  }
  const ends = await all;
  await Promise.all(half);

  for (const { name, within } of kinds) {
    const ours = ends.filter((_, index) => callers[index]!.kind.name === name);
    const latest = Math.max(...ours.map(({ after }) => after));
    expect({ name, inTime: latest < within + CHECK_S + 10 }).toEqual({ name, inTime: true });
  }
  times.sort((a, b) => a - b);
  const [middle, slowest] = [times[times.length >> 1]!, times.at(-1)!];
  console.log(
    `${times.length} pushes beside ${CALLERS} slow callers: median ${middle.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms`,
  );
  expect([middle < 2_000, slowest < 15_000]).toEqual([true, true]);
  expect(await api.store.db.collection('accounts').countDocuments()).toBe(times.length);
});

test('who asks for much and reads none of it is closed, and holds nothing of the service', async () => {
  const asked = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200);
  const socket = net.connect(api.port, '127.0.0.1').pause();
  socket.on('error', () => undefined).write(asked);
  const accepted = (await once(api.server, 'connection')) as [net.Socket];
  await eventually(() => expect(accepted[0].writableLength).toBeGreaterThan(0));
  const began = performance.now();
  await once(accepted[0], 'close');
  expect((performance.now() - began) / 1_000).toBeLessThan(UNREAD_S + 10);
  socket.destroy();
});

test('more connections than allowed are refused, and there is room again when they go', async () => {
  const full = api.server.maxConnections;
  expect(full).toBe(1024);
  api.server.maxConnections = 50;
  const sockets = Array.from({ length: 60 }, () => call(''));
  const dropped = () => sockets.filter(({ socket }) => socket.destroyed).length;
  await eventually(() => expect(dropped()).toBeGreaterThanOrEqual(10));
  sockets.forEach(({ socket }) => socket.destroy());
  await eventually(async () => expect((await api.ask('GET', '/livez')).status).toBe(200));
  api.server.maxConnections = full;
});
