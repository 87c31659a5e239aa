import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

// Of each socket to a customer: how many requests it has carried, and what had been read when the last one began.
const uses = new WeakMap<Socket, { requests: number; bytesRead: number }>();
const staleErrors = new WeakSet<object>();

// undici says it right before it writes a request.
subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { socket: Socket };
  const use = uses.get(socket);
  if (use) uses.set(socket, { requests: use.requests + 1, bytesRead: socket.bytesRead });
});

/** Notices when a socket fails that a customer had closed just when it was to be used again. */
export function watchSocket(socket: Socket): void {
  uses.set(socket, { requests: 0, bytesRead: 0 });
  socket.on('error', (error) => {
    const use = uses.get(socket);
    if (use && use.requests > 1 && socket.bytesRead === use.bytesRead) staleErrors.add(error);
  });
}

/** Whether a request failed on a reused socket before any byte of its answer: nothing is known of the customer yet. */
export function isStale(error: unknown): boolean {
  return typeof error === 'object' && error !== null && staleErrors.has(error);
}
