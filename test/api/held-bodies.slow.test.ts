import { once } from 'node:events';
import net from 'node:net';
import { eventually } from '../setup/eventually';
import {
  accounts,
  channelKey,
  expectError,
  integrationToken,
  pushOf,
  startApi,
  type Api,
  type ApiAnswer,
} from './start-api';

const PUSH = '/api/v1/push';
const MIB = 1024 * 1024;
const [IN_PROGRESS, OF_CUSTOMER] = [20, 5];
const CONNECTIONS = 60;
let api: Api;
let attacker: string;
let other: string;

beforeAll(async () => {
  api = await startApi({
    limits: {
      requestsInProgressOfErp: IN_PROGRESS,
      requestsInProgressOfCustomer: OF_CUSTOMER,
      connectionsOfAddress: CONNECTIONS,
    },
  });
  attacker = await integrationToken(api.store, { id: '66', name: 'Attacker' });
  other = await integrationToken(api.store);
});

const open = new Set<net.Socket>();
afterEach(async () => {
  open.forEach((socket) => socket.destroy());
  open.clear();
  await eventually(() => expect(connections()).resolves.toBeLessThan(5));
});

const connections = () => new Promise<number>((told) => api.server.getConnections((_, count) => told(count)));

interface Sender {
  socket: net.Socket;
  said: () => string;
}

async function connect(from = '127.0.0.1'): Promise<Sender> {
  const socket = net.connect({ port: api.port, host: '127.0.0.1', localAddress: from });
  open.add(socket);
  let said = '';
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(socket, 'connect');
  return { socket, said: () => said };
}

/** A push that declares so many bytes and sends these. */
async function send(declared: number, body: Buffer | string, token = attacker, path = PUSH): Promise<Sender> {
  const sender = await connect();
  sender.socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${declared}\r\n\r\n`,
  );
  sender.socket.write(body);
  return sender;
}

const pushOther = (body: unknown = pushOf(accounts(1))) => api.ask('POST', PUSH, { token: other, body });

test('16 sockets that declare 16 MiB and send a byte now and then: what another integration pushes is stored meanwhile', async () => {
  const slow = await Promise.all(Array.from({ length: 16 }, () => send(16 * MIB, '{')));
  const dripping = setInterval(() => slow.forEach(({ socket }) => socket.write(' ')), 100);
  for (let push = 0; push < 15; push++) expect((await pushOther()).status).toBe(204);
  clearInterval(dripping);
  expect(slow.map(({ said }) => said())).toEqual(Array(16).fill('')); // all are under way still
});

test('one integration holds a quarter of the bytes: its fifth body of 8 MiB is refused, and no other integration’s', async () => {
  const part = Buffer.alloc(8 * MIB - 10, ' ');
  const held: Sender[] = [];
  for (let body = 0; body < 5; body++) held.push(await send(8 * MIB, part));
  await eventually(() =>
    expect(held.filter(({ said }) => said().startsWith('HTTP/1.1 429 ')).length).toBe(1),
  );
  const body = JSON.stringify(pushOf(accounts(1)));
  expect((await pushOther(body + ' '.repeat(16 * MIB - body.length))).status).toBe(204);
  held.forEach(({ socket }) => socket.destroy());
  await eventually(async () => {
    const again = await api.ask('POST', PUSH, {
      token: attacker,
      body: body + ' '.repeat(16 * MIB - body.length),
    });
    expect(again.status).toBe(204);
  });
});

/** Holds so many requests in progress until a further one is refused. */
async function holdAll(count: number, hold: () => Promise<Sender>, askMore: () => Promise<ApiAnswer>) {
  const held: Sender[] = [];
  const holding = () => held.filter(({ socket }) => !socket.destroyed).length;
  const refused = await eventually(async () => {
    const wereAllThere = holding() === count;
    // On a slow machine the first are cut off as slow before the last have come.
    while (holding() < count) held.push(await hold());
    expect(wereAllThere).toBe(true); // a question on an open connection overtakes who has just come
    const answer = await askMore();
    expect(answer.status).toBe(429);
    return answer;
  });
  return { held, refused };
}

test('one integration has so many requests in progress; a further one is refused before its body is read', async () => {
  const { held, refused } = await holdAll(
    IN_PROGRESS,
    () => send(9000, '{'),
    () => api.ask('POST', PUSH, { token: attacker, body: pushOf([]) }),
  );
  expectError(refused, 429, 'RATE_LIMITED');
  expect([Number(refused.headers['retry-after']) > 0, refused.headers.connection]).toEqual([true, 'close']);
  expect((await pushOther()).status).toBe(204);

  // A further slow sender keeps no connection.
  const more = await send(9000, '{');
  await once(more.socket, 'close');
  expect(more.said()).toMatch(/^HTTP\/1.1 429 /);

  held.forEach(({ socket }) => socket.destroy());
  await eventually(async () =>
    expect((await api.ask('POST', PUSH, { token: attacker, body: pushOf([]) })).status).toBe(204),
  );
});

test('a customer has fewer in progress than an ERP, as each may hold a page or count a million records', async () => {
  const token = await channelKey(api.store, 'acme');
  const markers = '/api/v1/channels/acme/markers';
  const { held, refused } = await holdAll(
    OF_CUSTOMER,
    () => send(9, '{', token, `${markers}/tickets/reset`),
    () => api.ask('GET', markers, { token }),
  );
  expectError(refused, 429, 'RATE_LIMITED');
  held.forEach(({ socket }) => socket.destroy());
  await eventually(async () => expect((await api.ask('GET', markers, { token })).status).toBe(200));
});

test('who was answered before everything was sent still counts: 413 keeps no connection beside the share', async () => {
  const early = await integrationToken(api.store, { id: '67', name: 'Early' });
  for (let sender = 0; sender < IN_PROGRESS; sender++) {
    const { said } = await send(17 * MIB, '{', early);
    await eventually(() => expect(said()).toMatch(/^HTTP\/1.1 413 /));
  }
  const more = await send(17 * MIB, '{', early);
  await eventually(() => expect(more.said()).toMatch(/^HTTP\/1.1 429 /));
});

test('one address has a share of the connections; another address has room', async () => {
  const from = '127.0.0.2';
  const silent = await Promise.all(Array.from({ length: CONNECTIONS + 20 }, () => connect(from)));
  await eventually(() => expect(silent.filter(({ socket }) => socket.destroyed).length).toBe(20));
  expect((await pushOther()).status).toBe(204);
  silent.forEach(({ socket }) => socket.destroy());
  await eventually(async () => {
    const { socket, said } = await connect(from);
    socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    expect(said()).toMatch(/^HTTP\/1.1 200 /);
  });
});
