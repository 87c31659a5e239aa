import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { type buildConnector, errors } from 'undici';

// The limits of the interim answers to one request.
const MOST = 10;
const MOST_BYTES = 16 * 1024;

// All but 101, which is final, and which no request here asks for.
const STATUS = /^HTTP\/1\.\d 1(?!01)\d\d$/;
const HEAD = /^HTTP\/1\.\d 1(?!01)\d\d[^]*?\r?\n\r?\n/;
const SHORTEST = 'HTTP/1.1 100';

/** Too many interim answers, such as 103 "Early Hints". */
export class InterimFlood extends Error {
  override name = 'InterimFlood';
}

const answers = new WeakMap<Socket, AnswerHead>();

// undici publishes this right before it writes a request.
subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { socket: Socket };
  answers.set(socket, new AnswerHead());
});

/**
 * A connector for undici whose sockets skip interim answers, even unrequested ones, as a client must (RFC 9110, 15.2).
 * Otherwise undici destroys a connection at "100 Continue", and at any other interim answer that says to close it.
 */
export function overInterimAnswers(connect: buildConnector.connector): buildConnector.connector {
  return (target, done) =>
    connect(target, (...connected) => {
      const [, socket] = connected;
      if (socket) readOver(socket);
      done(...connected);
    });
}

function readOver(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  socket.read = (size?: number) => {
    try {
      for (let chunk = read(size); chunk; chunk = read(size)) {
        const rest = answers.get(socket)?.strip(chunk) ?? chunk;
        if (rest.length > 0) return rest;
      }
    } catch (error) {
      socket.destroy(error as Error);
    }
    return null;
  };
}

/** Removes interim answers from the chunks that a socket reads, until the final status line begins. */
class AnswerHead {
  private text = '';
  private isFinal = false;
  private over = 0;
  private bytes = 0;

  /** @returns the bytes that are not part of an interim answer. @throws InterimFlood, HeadersOverflowError */
  strip(chunk: Buffer): Buffer {
    if (this.isFinal) return chunk;
    this.text += chunk.toString('latin1');
    this.bytes += chunk.length;
    for (let head = this.interim(); head; head = this.interim()) {
      if (++this.over > MOST) throw new InterimFlood(`answered with more than ${MOST} interim answers`);
      this.text = this.text.slice(head.length);
    }
    const begun = this.text.slice(0, SHORTEST.length);
    this.isFinal = !STATUS.test(begun + SHORTEST.slice(begun.length));
    if (this.isFinal) return Buffer.from(this.text, 'latin1');
    if (this.bytes > MOST_BYTES) throw new errors.HeadersOverflowError();
    return Buffer.alloc(0);
  }

  private interim(): string | undefined {
    return HEAD.exec(this.text)?.[0];
  }
}
