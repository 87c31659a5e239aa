import { Readable } from 'node:stream';
import type { Context } from './route';

// Otherwise a few callers who read a byte now and then would keep out everybody else.
const UNREAD_MS = 5 * 60_000;

// Koa and Node add nine listeners to a streamed answer. Node warns of a leak above ten.
const LISTENERS = 16;

/** Streams an answer that takes longer than a request may wait. If it breaks off, so does the connection. */
export function streamAnswer(
  ctx: Pick<Context<object>, 'res' | 'body' | 'type'>,
  type: string,
  pieces: AsyncIterable<string>,
): void {
  const answer = Readable.from(unlessUnread(pieces, () => ctx.res.destroy()));
  answer.on('error', () => ctx.res.destroy());
  ctx.res.setMaxListeners(LISTENERS);
  ctx.body = answer;
  ctx.type = type;
}

/** Cuts off an answer that has waited for its reader for five minutes in all. Making it may take as long as it needs. */
async function* unlessUnread(pieces: AsyncIterable<string>, cutOff: () => void): AsyncGenerator<string> {
  let left = UNREAD_MS;
  for await (const piece of pieces) {
    const began = performance.now();
    const late = setTimeout(cutOff, left);
    try {
      yield piece;
    } finally {
      clearTimeout(late);
    }
    left -= performance.now() - began;
  }
}
