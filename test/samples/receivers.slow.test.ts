import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { signPage } from '../../outbound/sign-page';
import { renderPage } from '../../domain/deliveries/render-page';
import { finishWire, renderRecord } from '../../domain/records/render-record';
import { newSigningSecret } from '../../store/callers/tokens';
import { checkout } from '../../tools/local/checkout';
import { Terminal } from '../readme/terminal';
import { eventually } from '../setup/eventually';
import { COMPANY } from '../setup/push-records';
import { temporaryFolder } from '../setup/temporary-folder';

// What the service, or a proxy before the receiver, may send. What they do with a page is in the tests of each.

const SECRET = newSigningSecret();
const folder = temporaryFolder('receivers');
const samples = path.join(checkout, 'docs/samples');
const inPages = 'cat pages/*.json';
const RECEIVERS: Record<string, { command: string; taken: number; held: string }> = {
  'receiver.mjs': {
    command: `env PORT=0 HELD=held.json node ${samples}/receiver.mjs`,
    taken: 200,
    held: 'cat held.json',
  },
  'feed-to-table.py': {
    command: `python3 ${samples}/feed-to-table.py serve 0`,
    taken: 200,
    held: `python3 -c 'import os, sqlite3; print(*sqlite3.connect(os.environ["FEED_DB"]).execute("SELECT record FROM tickets"))'`,
  },
  // Those that are compiled first are for `npm run proof -- tools`.
  ...(process.env.GDX_TIER === 'tools' && {
    'verify-signature.go': {
      command: `env PORT=0 go run ${samples}/verify-signature.go`,
      taken: 200,
      held: inPages,
    },
    'verify-signature.cs': {
      command: `env PORT=0 dotnet run ${samples}/verify-signature.cs`,
      taken: 200,
      held: inPages,
    },
  }),
};

type Fields = Record<string, string>;
interface Page {
  body: Buffer;
  fields: Fields;
}

let number = 0;
/** A page of its own, with the lines of its head. */
async function newPage(kind: 'msg' | 'test' = 'msg'): Promise<Page> {
  const id = `T-${++number}`;
  const wire = finishWire(renderRecord('tickets', { id }, COMPANY), new Date(), new Date());
  const sizes = { page_count: 1, page_size: 1000, total_count: 1, total_pages: 1 };
  const body = renderPage([wire], { current_page: 1, ...sizes });
  const signed = await signPage(`${kind}_${id}`, body, { signingSecrets: [SECRET] }, new Date());
  return { body, fields: { ...signed, 'x-entity-type': 'tickets', 'content-type': 'application/json' } };
}

const ticketIn = (body: Buffer) => /"id":"(42-T-\d+)"/.exec(body.toString())![1]!;

const lines = (fields: Fields) => Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
const head = (first: string, fields: Fields) =>
  [`${first}\r\n`, 'Host: x\r\n', ...lines(fields), '\r\n'].join('');
const chunk = (part: Buffer, extension = '') =>
  Buffer.concat([Buffer.from(`${part.length.toString(16)}${extension}\r\n`), part, Buffer.from('\r\n')]);

type Parts = (string | Buffer)[];
const CHUNKED = { 'transfer-encoding': 'chunked' };
const withLength = ({ body, fields }: Page, more: Fields = {}, first = 'POST /feed HTTP/1.1'): Parts => [
  head(first, { ...fields, ...more, 'content-length': String(body.length) }),
  body,
];
const inChunks = ({ body, fields }: Page, end: string, extension = '', more: Fields = CHUNKED): Parts => [
  head('POST /feed HTTP/1.1', { ...fields, ...more }),
  chunk(body.subarray(0, 10), extension),
  chunk(body.subarray(10), extension),
  end,
];

const FORMS: Record<string, (page: Page) => Parts> = {
  'a length': (page) => withLength(page),
  chunks: (page) => inChunks(page, '0\r\n\r\n'),
  'chunks in capitals, with a blank behind': (page) =>
    inChunks(page, '0\r\n\r\n', '', { 'Transfer-Encoding': 'Chunked ' }),
  'chunks with extensions and trailers': (page) =>
    inChunks(page, '000;last\r\nx-sum: 1\r\nx-more: 2\r\n\r\n', ';a=b'),
  'a request byte by byte': (page) =>
    [...Buffer.concat(inChunks(page, '0\r\n\r\n').map((part) => Buffer.from(part)))].map((byte) =>
      Buffer.of(byte),
    ),
  'blanks and tabs around each value': ({ body, fields }) =>
    withLength({
      body,
      fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, `\t ${value} \t`])),
    }),
  'names in capitals': ({ body, fields }) =>
    withLength({
      body,
      fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toUpperCase(), value])),
    }),
  'the whole address in its first line': (page) =>
    withLength(page, {}, 'POST http://acme.example/feed HTTP/1.1'),
  'HTTP/1.0': (page) => withLength(page, {}, 'POST /feed HTTP/1.0'),
};

describe.each(Object.entries(RECEIVERS))('%s', (name, { command, taken, held }) => {
  let terminal: Terminal;
  let receiver: ReturnType<Terminal['leave']>;
  let port: number;
  beforeAll(async () => {
    terminal = new Terminal(folder, { ...process.env, SIGNING_SECRET: SECRET, FEED_DB: `${name}.db` });
    receiver = terminal.leave(command);
    port = await eventually(() => {
      const said = /listening on (\d+)/.exec(receiver.printed());
      expect(said).not.toBeNull();
      return Number(said![1]);
    });
  });
  afterAll(async () => {
    const exited = once(receiver.process, 'exit');
    process.kill(-receiver.process.pid!, 'SIGKILL');
    await exited;
  });

  /** A connection, and the status lines that have come on it. */
  async function connect() {
    const socket = net.connect(port, '127.0.0.1');
    socket.setNoDelay();
    let text = '';
    socket.on('data', (data) => (text += data.toString('latin1')));
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const statuses = () => [...text.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map(([, status]) => Number(status));
    return {
      async send(parts: Parts, answers: number) {
        for (const part of parts) socket.write(part);
        await eventually(() => expect(statuses()).toHaveLength(answers));
        return statuses();
      },
      text: () => text,
      end: () => socket.destroy(),
    };
  }

  async function exchange(parts: Parts): Promise<number | undefined> {
    const connection = await connect();
    const [status] = await connection.send(parts, 1);
    connection.end();
    return status;
  }

  test.each(Object.entries(FORMS))('takes a page with %s', async (_form, form) => {
    expect(await exchange(form(await newPage()))).toBe(taken);
  });

  test('takes a page that is packed, in capitals', async () => {
    const { body } = await newPage();
    const packed = gzipSync(body);
    for (const encoding of ['gzip', 'GZIP ', 'x-gzip']) {
      const fields = await signPage(
        `msg_${encoding.trim()}`,
        packed,
        { signingSecrets: [SECRET] },
        new Date(),
      );
      const more = { 'x-entity-type': 'tickets', 'content-encoding': encoding };
      expect(await exchange(withLength({ body: packed, fields: { ...fields, ...more } }))).toBe(taken);
    }
  });

  test('says 100 to whoever waits for it', async () => {
    const page = await newPage();
    const [before, body] = withLength(page, { expect: '100-continue' });
    const connection = await connect();
    expect(await connection.send([before!], 1)).toEqual([100]);
    expect(await connection.send([body!], 2)).toEqual([100, taken]);
    connection.end();
  });

  test('keeps its connection, whatever comes on it: pages, others, a probe', async () => {
    const connection = await connect();
    await connection.send(withLength(await newPage()), 1);
    await connection.send(inChunks(await newPage(), '0\r\n\r\n'), 2);
    await connection.send(withLength(await newPage(), { 'webhook-id': 'msg_other' }), 3);
    await connection.send(withLength(await newPage(), {}, 'POST /other HTTP/1.1'), 4);
    await connection.send([head('GET /health HTTP/1.1', {})], 5);
    expect(await connection.send(withLength(await newPage()), 6)).toEqual([
      taken,
      taken,
      401,
      404,
      200,
      taken,
    ]);
    connection.end();
  });

  test.each([
    'GET / HTTP/1.1',
    'HEAD / HTTP/1.1',
    'GET /feed HTTP/1.1',
    'GET /health?a=1 HTTP/1.1',
    'HEAD / HTTP/1.0',
  ])('answers a probe, %s, without a body', async (first) => {
    const connection = await connect();
    expect(await connection.send([head(first, {})], 1)).toEqual([200]);
    await eventually(() => expect(connection.text()).toMatch(/\r\n\r\n$/));
    connection.end();
  });

  test('tells a test page by its signed id, and not by a header that anybody could add or take away', async () => {
    const marked = await newPage();
    expect(await exchange(withLength(marked, { 'x-gdx-test': 'true' }))).toBe(taken);
    const unmarked = await newPage('test');
    expect(await exchange(withLength(unmarked))).toBe(taken);
    const records = await terminal.type(held);
    expect([marked, unmarked].map(({ body }) => records.includes(ticketIn(body)))).toEqual([true, false]);
  });

  test('takes nothing that is no page, or not whole', async () => {
    const page = await newPage();
    expect(await exchange(withLength(page, {}, 'POST /other HTTP/1.1'))).toBe(404);
    expect(await exchange([head('POST /feed HTTP/1.1', { ...page.fields, 'content-length': '0' })])).toBe(
      401,
    );
    expect(await exchange([head('POST /feed HTTP/1.1', page.fields)])).toBe(401);
    expect(await exchange(inChunks(page, '0\r\n\r\n', '', { ...CHUNKED, 'webhook-id': 'msg_other' }))).toBe(
      401,
    );
    expect(await exchange([head('POST /feed HTTP/1.1', { ...page.fields, ...CHUNKED }), 'zz\r\n'])).toBe(400);
    expect(await exchange(withLength(page))).toBe(taken);
  });
});
