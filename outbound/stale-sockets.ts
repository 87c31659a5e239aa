import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

// Per socket to a customer: the requests it has carried, and the bytes read when the last one began.
const uses = new WeakMap<Socket, { requests: number; bytesRead: number }>();
const staleErrors = new WeakSet<object>();

// undici publishes this right before it writes a request.
subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { socket: Socket };
  const use = uses.get(socket);
  if (use) uses.set(socket, { requests: use.requests + 1, bytesRead: socket.bytesRead });
});

/** Marks errors of reused sockets before the response begins: the customer may have closed them before. */
export function watchSocket(socket: Socket): void {
  uses.set(socket, { requests: 0, bytesRead: 0 });
  socket.on('error', (error) => {
    const use = uses.get(socket);
    if (use && use.requests > 1 && socket.bytesRead === use.bytesRead) staleErrors.add(error);
  });
}

/** Whether a request failed on a reused socket before the first byte of its response. */
export function isStaleSocketError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && staleErrors.has(error);
}
