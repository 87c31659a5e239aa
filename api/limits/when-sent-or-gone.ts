import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';

/**
 * Calls `then` once, when the answer has been sent or its connection is gone. Of an answer that waits for others of its
 * connection, Node tells nothing: only the socket closes.
 */
export function whenSentOrGone(res: ServerResponse & { req: IncomingMessage }, then: () => void): void {
  const { socket } = res.req;
  if (socket.destroyed) return then();
  let isOver = false;
  const end = () => {
    if (isOver) return; // `finished` may have begun to tell of it
    isOver = true;
    forget();
    socket.off('close', end);
    then();
  };
  const forget = finished(res, end);
  socket.setMaxListeners(0); // as many as requests in line
  socket.once('close', end);
}
