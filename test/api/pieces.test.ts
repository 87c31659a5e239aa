import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import net from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createHttpServer } from '../../api/server/http-server';
import { collectGarbage } from '../setup/collect-garbage';
import { serveHere } from '../setup/serve-here';

const COUNT = 200_000;
const BYTES = Buffer.from(Array.from({ length: COUNT }, (_, index) => 97 + (index % 26)));
const BY_BYTE = [...BYTES.toString()].map((one) => `1\r\n${one}\r\n`).join('');

let server: http.Server;
let port: number;
let read: (req: IncomingMessage) => Promise<unknown>;

beforeEach(async () => {
  const answered = async (req: IncomingMessage, res: http.ServerResponse) => res.end(String(await read(req)));
  server = createHttpServer((req, res) => void answered(req, res), { trustedProxies: 0, ofAddress: 10 });
  ({ port } = await serveHere(server));
});

/** A request whose body comes byte by byte. */
function byByte(end: string) {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  socket.write(BY_BYTE + end);
  return socket;
}

test('a body that comes byte by byte is read whole, in pieces of some kilobytes', async () => {
  let pieces = 0;
  read = (req) => buffer(req.on('data', () => (pieces += 1))).then((body) => body.equals(BYTES));
  const [answer] = (await once(byByte('0\r\n\r\n'), 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/\r\n\r\ntrue$/);
  expect(pieces).toBeLessThan(COUNT / 1_000);
});

test('what has come of it takes the memory of its bytes', async () => {
  const held = () => (collectGarbage(), process.memoryUsage().heapUsed);
  const pieces: Buffer[] = [];
  let bytes = 0;
  const before = held();
  const come = new Promise<void>((all) => {
    read = (req) =>
      new Promise(() => {
        req.on('data', (piece: Buffer) => {
          pieces.push(piece);
          bytes += piece.length;
          if (bytes === COUNT) all();
        });
      });
  });
  byByte('');
  await come;
  expect(held() - before).toBeLessThan(COUNT * 20); // a piece of its own takes some hundred bytes for each
});

test('a body of which nobody reads anything is held as its bytes', async () => {
  const held = () => (collectGarbage(), process.memoryUsage().heapUsed);
  const begun: IncomingMessage[] = [];
  read = () => Promise.resolve();
  const before = held();
  const full = new Promise<void>((all) => {
    read = (req) => {
      begun.push(req);
      const look = setInterval(() => {
        if (req.readableLength < req.readableHighWaterMark) return;
        clearInterval(look);
        all();
      }, 5);
      return new Promise(() => {});
    };
  });
  byByte('');
  await full;
  expect(held() - before).toBeLessThan(COUNT * 10);
  expect(begun).toHaveLength(1);
});

test('of a body of which nobody reads anything no more is taken than of any other, however slowly it comes', async () => {
  const begun = new Promise<IncomingMessage>((told) => {
    read = (req) => (told(req), new Promise(() => {}));
  });
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => undefined).setNoDelay();
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n');
  const req = await begun;
  for (let time = 0; time < 300; time++) {
    socket.write(Buffer.alloc(1_000));
    await new Promise((turn) => setTimeout(turn, 1));
  }
  expect(req.readableLength).toBeGreaterThanOrEqual(req.readableHighWaterMark);
  expect(req.readableLength).toBeLessThan(req.readableHighWaterMark + 10_000);
  expect((await buffer(req)).length).toBe(300_000); // and the rest is taken once somebody reads
});

test('pieces keep their order and come at once: large ones, small ones and what is left at the end', async () => {
  const given = ['a', 'b'.repeat(3_000), 'c', 'd'.repeat(5_000), 'e', 'f'.repeat(100_000), 'g'];
  read = async (req) => {
    const seen: string[] = [];
    for await (const piece of req) seen.push(String(piece));
    return seen.join('');
  };
  const asked = http.request({
    port,
    host: '127.0.0.1',
    method: 'POST',
  });
  for (const piece of given) {
    asked.write(piece);
    await new Promise((waited) => setTimeout(waited, 5));
  }
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  expect((await buffer(answer)).toString()).toBe(given.join(''));
});

test('of a body that breaks off what has come is read before the error', async () => {
  const heard = new Promise<string>((told) => {
    read = async (req) => {
      let text = '';
      try {
        for await (const piece of req) text += String(piece);
      } catch (error) {
        told(`${text} ${(error as NodeJS.ErrnoException).code}`);
      }
    };
  });
  const socket = net.connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc');
  await new Promise((waited) => setTimeout(waited, 50));
  socket.destroy();
  expect(await heard).toBe('abc ECONNRESET');
});
