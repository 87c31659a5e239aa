import { MongoNetworkError } from 'mongodb';
import utils = require('mongodb/lib/utils.js');
import { once } from 'node:events';
import type { Socket } from 'node:net';

const MENDED = Symbol.for('gdx.end-lost-writes');

/**
 * Ends a write when its connection ends. The driver waits for `drain` even on a destroyed socket, which never drains: its monitor
 * hangs, and the process needs a restart to find MongoDB (docs/decisions/0041). Changes the driver of this process, once.
 */
export function endLostWrites(): void {
  if (MENDED in utils) return;
  const wait = utils.once;
  const waitOrEnd: typeof wait = async (socket, event, options) => {
    if (event !== 'drain') return wait(socket, event, options);
    const waited = new AbortController();
    try {
      return await Promise.race([wait(socket, event, options), untilLost(socket as Socket, waited.signal)]);
    } finally {
      waited.abort();
    }
  };
  Object.assign(utils, { once: waitOrEnd, [MENDED]: true });
}

/** @throws MongoNetworkError once the socket is closed; never resolves before */
async function untilLost(socket: Socket, signal: AbortSignal): Promise<void> {
  if (!socket.destroyed) await once(socket, 'close', { signal });
  throw new MongoNetworkError('the connection was closed before a command was written to it');
}
