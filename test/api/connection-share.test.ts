import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { createHttpServer } from '../../api/http-server';
import { eventually } from '../setup/eventually';

/** How many of four connections of one address are served, where it may hold two. */
async function served(trustedProxies: number): Promise<number> {
  const server = createHttpServer((_, res) => void res.end('ok'), { trustedProxies, ofAddress: 2 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets = Array.from({ length: 4 }, () => connect(port, '127.0.0.1'));
  const answered = await Promise.all(sockets.map(isAnswered));
  sockets.forEach((socket) => socket.destroy());
  server.close();
  return answered.filter(Boolean).length;
}

function isAnswered(socket: Socket): Promise<boolean> {
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return new Promise((resolve) => {
    socket.once('data', () => resolve(true));
    socket.once('close', () => resolve(false)).on('error', () => {});
  });
}

test('an address holds no more than its share of connections', async () => expect(await served(0)).toBe(2));

test('who has closed its connections may open others', async () => {
  const server = createHttpServer((_, res) => void res.end('ok'), { trustedProxies: 0, ofAddress: 1 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const first = connect(port, '127.0.0.1');
  expect(await isAnswered(first)).toBe(true);
  first.destroy();
  await eventually(async () => {
    const next = connect(port, '127.0.0.1');
    const isServed = await isAnswered(next);
    next.destroy();
    expect(isServed).toBe(true);
  }, 5_000);
  server.close();
});

test('a network of IPv6 has one share: whoever has an address of it has all', async () => {
  const server = createHttpServer(() => undefined, { trustedProxies: 0, ofAddress: 1 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'].map((remoteAddress) => {
    const socket = Object.assign(new PassThrough(), { remoteAddress });
    server.emit('connection', socket as never);
    return socket;
  });
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
  sockets.forEach((socket) => socket.destroy());
  server.close();
});

test('a proxy holds those of everybody, and has no share', async () => expect(await served(1)).toBe(4));
