import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import Koa from 'koa';
import { limitInProgress } from '../../api/limits/limit-in-progress';
import type { CallerState } from '../../api/limits/rate-limit';
import { createShares } from '../../api/limits/shares';
import { createWalks } from '../../api/limits/walks';
import { whenSentOrGone } from '../../api/limits/when-sent-or-gone';
import { eventually } from '../setup/eventually';
import { serveHere } from '../setup/serve-here';

/** Has two requests of one connection wait for each other's answers, resets it, and lets both end. */
async function resetWhileTwoWait(handler: (end: Promise<void>) => RequestListener): Promise<void> {
  let end!: () => void;
  const listener = handler(new Promise((resolve) => (end = resolve)));
  let begun = 0;
  const server = createServer((req, res) => {
    begun++;
    listener(req, res);
  });
  const { port } = await serveHere(server);
  const sockets = once(server, 'connection');
  const client = connect(port, '127.0.0.1').on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
  const [socket] = await sockets;
  await eventually(() => expect(begun).toBe(2));
  const closed = once(socket, 'close');
  client.resetAndDestroy();
  await closed.catch(() => undefined); // it tells of the reset first
  end();
}

test('a connection that ends gives back the places of all its requests, of those in line as well', async () => {
  const shares = createShares(2);
  await resetWhileTwoWait((end) => {
    const app = new Koa<CallerState>().use(limitInProgress(shares, () => 'a')).use(() => end);
    app.silent = true; // of the reset
    return app.callback();
  });
  await eventually(() => expect(shares.take('a', 2)).toBe(true));
});

test('and their long reads end', async () => {
  const walks = createWalks(2);
  const signals: AbortSignal[] = [];
  await resetWhileTwoWait(() => (_, res) => signals.push(walks({ res }, String(signals.length))));
  await eventually(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]));
});

test('what begins once the connection is gone ends at once, and nothing ends twice', async () => {
  let ends = 0;
  await resetWhileTwoWait((end) => (_, res) => {
    whenSentOrGone(res, () => ends++);
    void end.then(() => whenSentOrGone(res, () => ends++));
  });
  await eventually(() => expect(ends).toBe(4));
  await new Promise(setImmediate);
  expect(ends).toBe(4);
});
