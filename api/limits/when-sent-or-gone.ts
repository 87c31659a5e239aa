import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Calls `then` once, when the answer has been sent or its connection is gone. Of an answer that waits for others of its
 * connection, Node tells nothing: only the socket closes.
 */
export function whenSentOrGone(res: ServerResponse & { req: IncomingMessage }, then: () => void): void {
  const { socket } = res.req;
  if (socket.destroyed || res.closed) return then();
  let isOver = false;
  const end = () => {
    if (isOver) return; // both were told of one end
    isOver = true;
    res.off('close', end);
    socket.off('close', end);
    then();
  };
  res.once('close', end);
  socket.setMaxListeners(0); // as many as requests in line
  socket.once('close', end);
}
