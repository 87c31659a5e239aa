import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { json, text } from 'node:stream/consumers';
import { bodyWanted } from '../setup/body-wanted';
import { gzipSync } from 'node:zlib';
import { WRITE_TIMEOUT_MS } from '../../store/transact';
import { rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { eventually } from '../setup/eventually';
import { leftError } from './left-error';
import { accounts, expectError, integrationToken, pushOf, startApi, type Api } from './start-api';
import { first, scaledTest, slowTest, nightlyTest } from '../setup/cases';
import { PassThrough } from 'node:stream';
import { createHttpServer } from '../../api/server/http-server';
import { storedOf } from './stored-of';
import { serveHere } from '../setup/serve-here';

let api: Api;

describe('body', () => {
  const PUSH = '/api/v1/push';
  const MIB = 1024 * 1024;
  const MAX = 16 * MIB;
  const GZIP = { 'content-encoding': 'gzip' };

  let token: string;
  let bomb: Buffer;

  beforeAll(async () => {
    const packed = gzipSync(Buffer.alloc(MAX));
    bomb = Buffer.concat(Array.from({ length: 40 }, () => packed)); // of many parts: one would take seconds to pack
    api = await startApi({ limits: { bodyBytesInFlight: 40 * MIB, bodyBytesOfCaller: 40 * MIB } });
    token = await integrationToken(api.store);
  });

  /** A push of exactly so many bytes. */
  function pushOfSize(bytes: number): Buffer {
    const text = JSON.stringify(pushOf(accounts(1)));
    return Buffer.from(text + ' '.repeat(bytes - text.length));
  }

  /** A push of which nothing is sent yet. */
  function begin(headers: http.OutgoingHttpHeaders = {}): http.ClientRequest {
    const own = { authorization: token, 'content-type': 'application/json', ...headers };
    const to = { port: api.port, host: '127.0.0.1', path: PUSH, method: 'POST', headers: own };
    return http.request(to).on('error', () => undefined); // the answer may come before everything is sent
  }

  /** A push in plain text, of such a length, of which so much is sent. */
  function declare(length: number, sent?: Buffer): net.Socket {
    const socket = net.connect(api.port, '127.0.0.1');
    const head = ['Host: x', `Authorization: ${token}`, 'Content-Type: application/json'];
    socket.write(`POST ${PUSH} HTTP/1.1\r\n${head.join('\r\n')}\r\nContent-Length: ${length}\r\n\r\n`);
    if (sent) socket.on('error', () => undefined).write(sent);
    return socket;
  }

  async function inChunks(chunk: Buffer, chunks: number) {
    const req = begin();
    const answered = once(req, 'response') as Promise<[http.IncomingMessage]>;
    let early = false;
    void answered.then(() => (early = true));
    for (let sent = 0; sent < chunks && !early; sent++) {
      if (!req.write(chunk)) await Promise.race([once(req, 'drain'), answered]);
    }
    req.end();
    const [res] = await answered;
    const body = res.statusCode === 204 ? res.resume() && undefined : ((await json(res)) as { code: string });
    return { status: res.statusCode, code: body?.code };
  }

  describe('16 MiB', () => {
    slowTest('exactly is taken, one more byte is not', async () => {
      expect((await api.ask('POST', PUSH, { token, body: pushOfSize(MAX) })).status).toBe(204);
      expectError(
        await api.ask('POST', PUSH, { token, body: pushOfSize(MAX + 1) }),
        413,
        'PAYLOAD_TOO_LARGE',
      );
    });

    test('is decided from the length alone, before anything is sent', async () => {
      const socket = declare(MAX + 1);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /);
    });

    test('is decided while streaming when no length is told', async () => {
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      expect(await inChunks(chunk, 40)).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
      expect(await inChunks(pushOfSize(MAX / 16), 1)).toEqual({ status: 204, code: undefined });
    });

    slowTest('counts unpacked: exactly is taken, one more byte is not, a bomb neither', async () => {
      const packed = (body: Buffer) => ({ token, headers: GZIP, body: gzipSync(body) });
      expect((await api.ask('POST', PUSH, packed(pushOfSize(MAX)))).status).toBe(204);
      expectError(await api.ask('POST', PUSH, packed(pushOfSize(MAX + 1))), 413, 'PAYLOAD_TOO_LARGE');
      expectError(
        await api.ask('POST', PUSH, { token, headers: GZIP, body: bomb }),
        413,
        'PAYLOAD_TOO_LARGE',
      );
    });

    nightlyTest('packed without getting smaller is still taken', async () => {
      const body = gzipSync(pushOfSize(MAX), { level: 0 });
      expect(body.length).toBeGreaterThan(MAX);
      expect((await api.ask('POST', PUSH, { token, headers: GZIP, body })).status).toBe(204);
    });
  });

  describe('gzip', () => {
    test('the body hash is of the unpacked bytes', async () => {
      const headers = { 'x-request-id': 'packed-or-not' };
      const body = JSON.stringify(pushOf(accounts(1)));
      expect((await api.ask('POST', PUSH, { token, headers, body })).status).toBe(204);
      const repeated = { token, headers: { ...headers, ...GZIP }, body: gzipSync(body) };
      expect((await api.ask('POST', PUSH, repeated)).status).toBe(204);
      expect(api.lines.at(-1)).toMatchObject({ reason: 'repeated' });
    });

    test.each<[string, Buffer]>([
      ['not packed at all', Buffer.from('{"data":[]}')],
      ['truncated', gzipSync('{"data":[]}').subarray(0, -6)],
      ['damaged', Buffer.concat([gzipSync('{"data":[]}').subarray(0, -8), Buffer.alloc(8)])],
      ['empty', Buffer.alloc(0)],
    ])('%s', async (_, body) => {
      expectError(await api.ask('POST', PUSH, { token, headers: GZIP, body }), 400, 'MALFORMED_BODY');
    });
  });

  describe('an aborted upload leaves nothing behind', () => {
    const bodies: [string, Record<string, string>, Buffer][] = [
      ['plain', {}, pushOfSize(MIB)],
      ['gzip', GZIP, gzipSync(pushOfSize(MIB)).subarray(0, 500)],
    ];

    /** Sends a part, and goes away when the service is so far. */
    async function abort(headers: object, part: Buffer, isSoFar: Promise<unknown>): Promise<void> {
      const req = begin({ 'content-length': 12 * MIB, ...headers });
      req.write(part);
      await isSoFar;
      const gone = new Promise((closed) => req.once('close', closed));
      req.destroy();
      await gone;
    }

    // Each held 12 of 40 MiB: were one kept, three more would not fit.
    async function expectRoom(): Promise<void> {
      await eventually(async () => {
        const answers = [1, 2, 3].map(() => api.ask('POST', PUSH, { token, body: pushOfSize(12 * MIB) }));
        expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([204, 204, 204]);
      });
      expect(api.lines.filter(({ level }) => (level as number) >= 50)).toEqual([]);
    }

    slowTest.each(bodies)('%s, in the middle of the body', async (_, headers, part) => {
      for (let i = 0; i < 5; i++) await abort(headers, part, bodyWanted(api.server));
      await expectRoom();
    });

    scaledTest.each(first(1, bodies))('%s, while the token is looked up', async (_, headers, part) => {
      token = await integrationToken(api.store); // no look-up of it is kept
      const halt = stopHere();
      const collection = api.store.db.collection.bind(api.store.db);
      const slow = jest.spyOn(api.store.db, 'collection').mockImplementationOnce((name) => {
        const found = collection(name);
        return { findOne: (filter: object) => halt.here().then(() => found.findOne(filter)) } as never;
      });
      await abort(headers, part, halt.reached);
      halt.goOn();
      slow.mockRestore();
      await expectRoom();
    });
  });

  slowTest('more bytes in flight than the budget: 503 UNAVAILABLE, and room again afterwards', async () => {
    const sockets: net.Socket[] = [];
    api.server.on('connection', (socket) => sockets.push(socket));
    const held = [1, 2, 3].map(() => declare(12 * MIB, Buffer.alloc(12 * MIB - 1, ' ')));
    await eventually(() => {
      const received = sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
      expect(received).toBeGreaterThan(3 * (12 * MIB - 1));
    });
    const refused = await api.ask('POST', PUSH, { token, body: pushOfSize(5 * MIB) });
    const unpacked = await api.ask('POST', PUSH, { token, headers: GZIP, body: gzipSync(pushOfSize(MAX)) });
    const small = await api.ask('POST', PUSH, { token, body: pushOf(accounts(1)) });
    held.forEach((socket) => socket.destroy());
    for (const answer of [refused, unpacked]) {
      expectError(answer, 503, 'UNAVAILABLE');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(small.status).toBe(204);
    await eventually(async () =>
      expect((await api.ask('POST', PUSH, { token, body: pushOfSize(MAX) })).status).toBe(204),
    );
  });

  test('a caller that waits for 100 Continue keeps a refused body to himself', async () => {
    const ask = async (authorization: string) => {
      const req = begin({ authorization, expect: '100-continue' });
      let continued = false;
      req.on('continue', () => {
        continued = true;
        req.end(JSON.stringify(pushOf(accounts(1))));
      });
      req.flushHeaders();
      const [res] = (await once(req, 'response')) as [http.IncomingMessage];
      res.resume();
      req.destroy();
      return [res.statusCode, continued];
    };
    expect(await ask(token)).toEqual([204, true]);
    expect(await ask('nobody')).toEqual([401, false]);
  });

  test('the bytes of a push that is late are counted until its handler has ended', async () => {
    const halt = stopHere();
    const store = rewire(api.store, async ({ collection, run }) => {
      if (collection === 'counters') await halt.here();
      return run();
    });
    const tight = await startApi({ store, limits: { bodyBytesInFlight: 5 * MIB } });
    const ask = (path: string) => tight.ask('POST', path, { token, body: pushOfSize(3 * MIB) });
    const realTimeout = globalThis.setTimeout;
    const sooner = (run: () => void, ms?: number) => realTimeout(run, ms === WRITE_TIMEOUT_MS ? 100 : ms);
    const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation(sooner as typeof realTimeout);
    expectError(await ask(PUSH), 503, 'UNAVAILABLE');
    await halt.reached;
    timers.mockRestore();
    expectError(await ask(`${PUSH}?dry_run=true`), 503, 'UNAVAILABLE');
    halt.goOn();
    await eventually(async () => expect((await ask(`${PUSH}?dry_run=true`)).status).toBe(200));
  });

  test('what forms hold is apart from what pushes hold', async () => {
    const small = await startApi({ store: api.store, limits: { formBytesInFlight: 10 } });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const form = await small.ask('POST', '/ops/sign-in', {
      headers,
      body: 'token=one-of-more-than-ten-bytes',
    });
    const push = await small.ask('POST', PUSH, { token, body: pushOf(accounts(1)) });
    await small.stop();
    expect([form.status, push.status]).toEqual([303, 204]);
    expect(leftError(form.headers['set-cookie'])).toMatchObject({ kind: 'busy' });
  });
});

describe('smuggling', () => {
  let token: string;

  beforeAll(async () => {
    api = await startApi();
    token = await integrationToken(api.store);
  });

  const SMUGGLED = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
  const BODY = '{"data":[{"update-accounts":{"accounts":[{"id":"1","name":"Smuggler"}]}}]}';
  const LENGTH = `Content-Length: ${BODY.length}`;
  const CHUNKED = 'Transfer-Encoding: chunked';
  const CHUNKS = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

  /** Two parsers may read these requests differently; each is followed by one that must not be answered. */
  const FORMS: [string, string[], string][] = [
    ['a length and chunks', [LENGTH, CHUNKED], CHUNKS],
    ['chunks and a length', [CHUNKED, LENGTH], CHUNKS],
    ['two lengths that differ', [LENGTH, 'Content-Length: 0'], BODY],
    ['two equal lengths', [LENGTH, LENGTH], BODY],
    ['a list of lengths', [`${LENGTH}, ${BODY.length}`], BODY],
    ['a length with a sign', [`Content-Length: +${BODY.length}`], BODY],
    ['a negative length', ['Content-Length: -1'], BODY],
    ['a length in hexadecimal', ['Content-Length: 0x10'], BODY],
    ['a length with a blank inside', ['Content-Length: 1 0'], BODY],
    ['an empty length', ['Content-Length:'], BODY],
    ['a length past all numbers', [`Content-Length: ${'9'.repeat(30)}`], BODY],
    ['chunked twice', [CHUNKED, CHUNKED], CHUNKS],
    ['chunked, then identity', ['Transfer-Encoding: chunked, identity'], CHUNKS],
    ['identity', ['Transfer-Encoding: identity', LENGTH], BODY],
    ['an unknown encoding', ['Transfer-Encoding: xchunked'], CHUNKS],
    ['chunked behind a vertical tab', ['Transfer-Encoding: \u000bchunked'], CHUNKS],
    ['a blank before the colon', ['Transfer-Encoding : chunked'], CHUNKS],
    ['a blank before the colon of a length', [`Content-Length : ${BODY.length}`], BODY],
    ['a folded line', ['X-A: b\r\n c', LENGTH], BODY],
    ['a folded encoding', ['Transfer-Encoding:\r\n chunked'], CHUNKS],
    ['a bare line feed between headers', [`X-A: b\n${LENGTH}`], BODY],
    ['a bare carriage return in a header', [`X-A: b\rX-C: d`, LENGTH], BODY],
    ['a NUL in a header', [`X-A: b\u0000c`, LENGTH], BODY],
    ['a header without a colon', ['X-A', LENGTH], BODY],
    ['a header without a name', [': b', LENGTH], BODY],
    ['a header name with a blank', ['X A: b', LENGTH], BODY],
    ['two hosts', ['Host: y', LENGTH], BODY],
    ['a chunk with a bad size', [CHUNKED], `zz\r\n${BODY}\r\n0\r\n\r\n`],
    ['a chunk with a sign', [CHUNKED], `+${CHUNKS}`],
    ['a chunk in 0x form', [CHUNKED], `0x${CHUNKS}`],
    ['a chunk past all numbers', [CHUNKED], `${'f'.repeat(20)}\r\n${BODY}\r\n0\r\n\r\n`],
    ['a chunk that is longer than it says', [CHUNKED], `5\r\n${BODY}\r\n0\r\n\r\n`],
    ['chunks with bare line feeds', [CHUNKED], CHUNKS.replace(/\r\n/g, '\n')],
  ];

  const LINES: [string, string][] = [
    ['no version', 'POST /api/v1/push\r\nHost: x\r\n\r\n'],
    ['HTTP/0.9', 'GET /livez HTTP/0.9\r\n\r\n'],
    ['HTTP/2 in words', 'GET /livez HTTP/2.0\r\nHost: x\r\n\r\n'],
    ['HTTP/1.10', 'GET /livez HTTP/1.10\r\nHost: x\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['no host', 'GET /livez HTTP/1.1\r\n\r\n'],
    ['a tab in the line', 'GET\t/livez\tHTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a blank in the path', 'GET /li vez HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a method in lower case', 'get /livez HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an unknown method', 'BREW /livez HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a TLS greeting', '\u0016\u0003\u0001\u0002\u0000\u0001'],
    ['a line of SSH', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ];

  /** All that comes back until the service closes the connection. */
  async function answersTo(sent: string): Promise<string> {
    const socket = net.connect(api.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(Buffer.from(sent, 'latin1'));
    return text(socket);
  }

  function expectClosedWith400(answers: string): void {
    const [answer, ...more] = answers.split(/(?=HTTP\/1\.1 \d{3} )/);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(more).toEqual([]); // the smuggled one was not answered
    expect(JSON.parse(answer!.split('\r\n\r\n')[1]!)).toMatchObject({
      code: expect.stringMatching(/^MALFORMED_/),
    });
  }

  test.each(FORMS)('%s', async (_, headers, body) => {
    const before = await storedOf(api.store);
    const lines = [
      'POST /api/v1/push HTTP/1.1',
      'Host: x',
      `Authorization: ${token}`,
      'Content-Type: application/json',
      ...headers,
    ];
    expectClosedWith400(await answersTo(`${lines.join('\r\n')}\r\n\r\n${body}${SMUGGLED}`));
    expect(await storedOf(api.store)).toEqual(before);
  });

  test('a refused request keeps the id that its caller gave it', async () => {
    const answer = await answersTo('GET /livez HTTP/1.1\r\nX-Request-ID: mine\r\n\r\n');
    expect(answer).toContain('X-Request-ID: mine');
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ request_id: 'mine' });
  });

  test.each(LINES)('%s', async (_, sent) => {
    expectClosedWith400(await answersTo(sent));
  });

  test('what breaks off while an answer is under way is not refused in the midst of it', async () => {
    const server = createHttpServer((_, res) => void res.writeHead(200).write('the first half'), {
      trustedProxies: 0,
      ofAddress: 1,
    });
    const { port } = await serveHere(server);
    const socket = net.connect(port, '127.0.0.1');
    let said = '';
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => (said += chunk.toString()));
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    socket.write('no HTTP\r\n\r\n');
    await once(socket, 'close');
    expect(said).toContain('the first half');
    expect(said.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200']);
  });

  test('a request that did not arrive in time is told so, and not that it is malformed: it is worth another try', async () => {
    const server = createHttpServer(() => undefined, { trustedProxies: 0, ofAddress: 1 });
    const socket = new PassThrough();
    server.emit(
      'clientError',
      Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
      socket as never,
    );
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 .*"code":"REQUEST_TIMEOUT"/s);
  });

  test('an expectation that nobody knows is ignored', async () => {
    const asked = 'GET /livez HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n';
    expect(await answersTo(asked)).toMatch(/^HTTP\/1\.1 200 /);
  });
});
