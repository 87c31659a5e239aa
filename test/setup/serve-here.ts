import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { closeAtEnd, type Lifetime } from './close-at-end';

/** Any server of loopback, on a free port or on one that it had. Like all that a test starts it stops at the end, and its connections with it. */
export async function serveHere(server: Server, host = '127.0.0.1', of: Lifetime = 'test', had = 0) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server.listen(had, host), 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = closeAtEnd(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((closed) => server.close(closed));
  }, of);
  return { port, url: `http://${host}:${port}`, stop };
}
