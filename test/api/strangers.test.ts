import { once } from 'node:events';
import net from 'node:net';
import pino from 'pino';
import { createLineLimit } from '../../api/limits/limit-lines';
import { bodyWanted } from '../setup/body-wanted';
import { slowTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { leftError } from './left-error';
import { MongoNetworkError } from 'mongodb';
import { closeStore } from '../../store/connect';
import { newToken } from '../../store/callers/tokens';
import { type Api, accounts, expectError, integrationToken, pushOf, startApi, storeAway } from './start-api';

const PLACES = 3;
const MINUTES_WORTH = 5;
const LINES = 4;
let api: Api;
const open = new Set<net.Socket>();
const timers: NodeJS.Timeout[] = [];

beforeAll(async () => {
  api = await startApi({
    farmer: { trustedProxies: 1 },
    limits: {
      requestsInProgressOfAddress: PLACES,
      strayRequestsPerMinute: MINUTES_WORTH,
      linesOfStrangerPerMinute: LINES,
    },
  });
});
afterEach(() => {
  open.forEach((socket) => socket.destroy());
  open.clear();
  timers.splice(0).forEach(clearInterval);
});

/** Somebody who has been answered and does not hang up. */
async function answered(sent: string, drips: boolean) {
  const accepted = once(api.server, 'connection') as Promise<[net.Socket]>;
  const socket = net.connect({ port: api.port, host: '127.0.0.1', allowHalfOpen: true });
  open.add(socket);
  const [theirs] = await accepted;
  socket.on('error', () => undefined).write(sent);
  await once(socket, 'data');
  if (drips) timers.push(setInterval(() => socket.write('x'), 100));
  return { theirs, began: performance.now() };
}

/** The time from the answer until the server has closed the connection. */
async function timeUntilClosed({ theirs, began }: Awaited<ReturnType<typeof answered>>): Promise<number> {
  if (!theirs.closed) await new Promise((closed) => theirs.once('close', closed));
  return performance.now() - began;
}

const from = (address: string) => ({ 'x-forwarded-for': address });
const ask = (path: string, address: string, headers = {}) =>
  api.ask('GET', path, { headers: { ...from(address), ...headers } });

/** A form of which the first byte is sent, by somebody without a session. */
async function beginForm(address: string, path = '/sharing/phone') {
  const socket = net.connect(api.port, '127.0.0.1');
  open.add(socket);
  let said = '';
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(socket, 'connect');
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n` +
      'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\np',
  );
  return { socket, said: () => said };
}

type Held = Awaited<ReturnType<typeof beginForm>>;
const statusOf = ({ said }: Held) => Number(/^HTTP\/1.1 (\d+) /.exec(said())?.[1]);
/** A page's form is answered by 303, and the page that it leads to says why. */
const isRefused = (held: Held) => statusOf(held) === 429 || leftError(held.said())?.kind === 'crowded';
const isAnswered = (held: Held) => eventually(async () => expect(statusOf(held)).toBeGreaterThan(0));

describe('what is in progress', () => {
  test('behind a proxy an address has its share of what is in progress, by the address that the proxy forwards', async () => {
    for (let form = 0; form < PLACES; form++) await isAnswered(await beginForm('203.0.113.1'));
    const more = await beginForm('203.0.113.1');
    await once(more.socket, 'close'); // at once, or it would hold a connection
    expect(isRefused(more)).toBe(true);
    const other = await beginForm('203.0.113.2');
    await isAnswered(other);
    expect(isRefused(other)).toBe(false);
  });

  test.each([
    ['/sharing/phone', 'is a page'],
    ['/livez', 'takes no form'],
    ['/nowhere', 'is none'],
    ['/api/v1/push', 'wants a token'],
  ])('a place counts wherever the body drips: %s, which %s', async (path) => {
    const address = `198.51.100.${path.length}`;
    for (let form = 0; form < PLACES; form++) await isAnswered(await beginForm(address, path));
    const more = await beginForm(address, path);
    await isAnswered(more);
    expect(isRefused(more)).toBe(true);
  });

  // It takes as long as such a caller has to read its answer.
  slowTest('who is answered early, or with no request at all, is cut off soon, whatever drips', async () => {
    const form = 'POST /sharing/phone HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n';
    const callers = [
      await answered(form, true),
      await answered(form.replace('/', 'http://x/'), true),
      await answered('hello\r\n\r\n', false),
    ];
    // A body may take half a minute, and so may a connection that nobody closes.
    for (const ms of await Promise.all(callers.map(timeUntilClosed))) expect(ms).toBeLessThan(15_000);
  });
});

describe('what nobody has to be known for', () => {
  test.each([
    ['paths that are none', '/nowhere', '192.0.2.1'],
    ['pages that are none', '/sharing/nowhere', '192.0.2.2'],
    ['what people may mean', '/SHARING', '192.0.2.3'],
    ['documents', '/openapi.json', '192.0.2.4'],
    ['downloads', '/downloads/nothing', '192.0.2.5'],
    ['other methods', '/api/v1/push', '192.0.2.6'],
  ])('%s have a limit a minute for each address', async (_, path, address) => {
    const html = { accept: 'text/html' };
    for (let time = 0; time < MINUTES_WORTH; time++)
      expect((await ask(path, address, html)).status).not.toBe(429);
    const refused = await ask(path, address, html);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect((await ask(path, `${address}9`, html)).status).not.toBe(429);
  });

  test('a person who is over it at a page that is none reads a page', async () => {
    const html = { accept: 'text/html' };
    for (let time = 0; time < MINUTES_WORTH; time++) await ask('/sharing/nowhere', '192.0.2.7', html);
    const refused = await ask('/sharing/nowhere', '192.0.2.7', html);
    expect([refused.status, refused.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
    expectError(await ask('/nowhere', '192.0.2.7'), 429, 'RATE_LIMITED');
  });

  test('probes have none: a process must not be taken for dead because of others', async () => {
    for (let time = 0; time < 3 * MINUTES_WORTH; time++) {
      expect((await ask('/livez', '192.0.2.8')).status).toBe(200);
      expect((await ask('/readyz', '192.0.2.8')).status).toBe(200);
    }
  });
});

describe('lines of the log', () => {
  const linesOf = (address: string) =>
    api.lines.filter((line) => line['msg'] === 'request' && line['address'] === address);

  test.each([
    ['a path that is none', '192.0.2.21', () => ask('/nowhere', '192.0.2.21')],
    ['no token', '192.0.2.22', () => api.ask('POST', '/api/v1/push', { headers: from('192.0.2.22') })],
    ['no session', '192.0.2.23', () => ask('/sharing/phone', '192.0.2.23')],
  ])('of a stranger with %s an address adds so many a minute', async (_, address, request) => {
    for (let time = 0; time < 2 * LINES + MINUTES_WORTH; time++) await request();
    expect(linesOf(address)).toHaveLength(LINES);
  });

  test('whoever hangs up beside an answer adds none', async () => {
    const before = api.lines.length;
    for (let time = 0; time < 3; time++) {
      const accepted = once(api.server, 'connection') as Promise<[net.Socket]>;
      const asked = bodyWanted(api.server);
      const { socket } = await beginForm('192.0.2.31', '/customer/sign-in');
      const [theirs] = await accepted;
      await asked;
      const closed = new Promise((gone) => theirs.once('close', gone));
      socket.resetAndDestroy();
      await closed;
    }
    const said = api.lines.slice(before).filter(({ msg }) => msg !== 'request');
    expect(said).toEqual([]);
  });

  test('nor does why a request of theirs failed, while MongoDB is away, beyond those lines', async () => {
    const away = await startApi({
      store: await storeAway(),
      farmer: { trustedProxies: 1 },
      limits: { linesOfStrangerPerMinute: LINES },
    });
    const failing = jest.spyOn(away.store.db, 'collection').mockImplementation(() => {
      throw new MongoNetworkError('away');
    });
    const token = newToken('erp', away.store);
    for (let time = 0; time < 2 * LINES; time++)
      await away.ask('GET', '/api/v1/records/tickets', { token, headers: from('192.0.2.32') });
    failing.mockRestore();
    await closeStore(away.store);
    await away.stop();
    const of = (wanted: string) => away.lines.filter(({ msg }) => msg === wanted);
    expect([of('request').length, of('request failed').length]).toEqual([LINES, LINES]);
  });

  test('whoever is known has a line for each request, from the same address', async () => {
    const [token, address] = [await integrationToken(api.store), '192.0.2.21'];
    const before = linesOf(address).length;
    for (let time = 0; time < 2 * LINES; time++) {
      const pushed = await api.ask('POST', '/api/v1/push', {
        token,
        headers: from(address),
        body: pushOf(accounts(1)),
      });
      expect(pushed.status).toBe(204);
    }
    expect(linesOf(address)).toHaveLength(before + 2 * LINES);
  });

  test('those that are not written are counted, and one line says how many and of whom most', async () => {
    const said: Record<string, unknown>[] = [];
    const log = pino({}, { write: (line: string) => said.push(JSON.parse(line)) });
    const isWritten = createLineLimit(log, 2, 20);
    const request = (address: string) => isWritten({ state: {}, status: 404, ip: address });
    const written = ['a', 'a', 'a', 'a', 'b', 'b', 'b'].map(request);
    expect(written).toEqual([true, true, false, false, true, true, false]);
    await eventually(async () => expect(said).toHaveLength(1));
    expect(said[0]).toMatchObject({
      msg: expect.stringContaining('counted and not logged'),
      requests: 3,
      addresses: 2,
      most: { address: 'a', requests: 2 },
    });
    request('b');
    await eventually(async () => expect(said).toHaveLength(2));
    expect(said[1]).toMatchObject({ requests: 1, addresses: 1 });
  });

  test('whoever is known has a line for each, but for refusals by limits', () => {
    const isWritten = createLineLimit(pino({ level: 'silent' }), 1);
    const request = (status: number) => isWritten({ state: { integration: {} }, status, ip: 'a' });
    expect([429, 429, 204, 204, 429].map(request)).toEqual([true, false, true, true, false]);
  });
});
