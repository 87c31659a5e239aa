import { once } from 'node:events';
import net from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createHttpServer } from '../../api/http-server';
import { integrationToken, startApi, type Api } from './start-api';
import { storedOf } from './stored-of';

let api: Api;
let token: string;

beforeAll(async () => {
  api = await startApi();
  token = await integrationToken(api.store);
});
afterAll(() => api.stop());

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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
  let said = '';
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => (said += chunk.toString()));
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  socket.write('no HTTP\r\n\r\n');
  await once(socket, 'close');
  server.close();
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
