import { setImmediate } from 'node:timers/promises';
import { type Behaviour, OddCustomer, onRequest, says } from './odd-customer';
import { CLIENTS } from './clients';

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n';
const WAIT = 'HTTP/1.1 102 Processing\r\n\r\n';
const BEFORE: Record<string, string> = {
  '100': CONTINUE,
  '102': WAIT,
  '103 with headers': HINTS,
  '100 with headers': 'HTTP/1.1 100 Continue\r\nserver: squid\r\nx-wait: HTTP/1.1 200 OK\r\n\r\n',
  '100 without a phrase': 'HTTP/1.1 100\r\n\r\n',
  '100 that says to close': 'HTTP/1.1 100 Continue\r\nconnection: close\r\n\r\n',
  '103 with a length': 'HTTP/1.1 103 Early Hints\r\ncontent-length: 7\r\ntransfer-encoding: chunked\r\n\r\n',
  '100 of HTTP/1.0': 'HTTP/1.0 100 Continue\r\n\r\n',
  several: CONTINUE + WAIT + HINTS + CONTINUE,
};
const FINAL = {
  200: 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
  422: 'HTTP/1.1 422 No\r\ncontent-type: text/plain\r\ncontent-length: 22\r\n\r\nHTTP/1.1 100 Continue\n',
};
type Final = keyof typeof FINAL;

let server: OddCustomer;

/** Every byte by itself. */
const inPieces =
  (answer: string): Behaviour =>
  (socket) =>
    onRequest(socket, async () => {
      socket.setNoDelay();
      for (const byte of Buffer.from(answer)) {
        socket.write(Buffer.of(byte));
        await setImmediate();
      }
    });

describe.each(Object.entries(CLIENTS))('%s', (_client, send) => {
  test.each(Object.entries(BEFORE))('is answered by what follows %s', async (_name, interim) => {
    server = await OddCustomer.start(says(interim + FINAL[200]));
    expect(await send(server.url)).toBe(true);
    expect(server.spoken).toBe(1);
  });

  test('is refused by a 422 that follows 100', async () => {
    server = await OddCustomer.start(says(CONTINUE + FINAL[422]));
    expect(await send(server.url)).toBe(false);
    expect(server.spoken).toBe(1);
  });

  test.each<Final>([200, 422])('is answered by %i, whatever the pieces', async (status) => {
    server = await OddCustomer.start(inPieces(BEFORE['several']! + FINAL[status]));
    expect(await send(server.url)).toBe(status === 200);
  });

  test('is answered so on a kept connection, again and again', async () => {
    server = await OddCustomer.start(says(CONTINUE + FINAL[200]));
    expect([await send(server.url), await send(server.url), await send(server.url)]).toEqual([
      true,
      true,
      true,
    ]);
  });
});
