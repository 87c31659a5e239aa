import type { Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

// A message of MongoDB's wire protocol: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/#op_msg

const HEADER_BYTES = 16;
const [OP_REPLY, OP_QUERY, OP_MSG] = [1, 2004, 2013]; // the first two of a first handshake alone
const CHECKSUM = 1; // among the flags
const BODY = 0; // the other kind of section holds documents beside it, such as those of an insert

/** A message as it came. */
export interface Message {
  bytes: Buffer;
  id: number;
  /** Its command or answer. */
  body: Document;
  /** The bytes of that alone, and those of the documents beside it. */
  raw: Buffer;
  beside: Buffer;
  /** How many bytes each document beside it has. */
  sizes: number[];
  isQuery: boolean;
}

/** Cuts a stream into messages. @param take gets each once all of it has come */
export const messageReader = (take: (message: Message) => void) =>
  frameReader(
    HEADER_BYTES,
    (waiting) => waiting.readInt32LE(0),
    (frame) => take(read(frame)),
  );

/** Cuts a stream into frames, whose length is known once their first `header` bytes have come. */
export function frameReader(
  header: number,
  lengthOf: (waiting: Buffer) => number,
  take: (frame: Buffer) => void,
): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let [held, due] = [0, header];
  return (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    if (held < due) return;
    let waiting = Buffer.concat(chunks);
    const nextLength = () => (waiting.length < header ? header : lengthOf(waiting));
    while (waiting.length >= (due = nextLength()) && waiting.length > 0) {
      take(waiting.subarray(0, due));
      waiting = waiting.subarray(due);
    }
    [chunks, held] = [[waiting], waiting.length];
  };
}

/** Asks over a connection; a question that is open when it ends fails. */
export function askerOf(socket: Socket): (bytes: Buffer) => Promise<Message> {
  const open: { resolve: (answer: Message) => void; reject: (why: Error) => void }[] = [];
  socket.on(
    'data',
    messageReader((answer) => open.shift()?.resolve(answer)),
  );
  socket.on('close', () =>
    open.splice(0).forEach(({ reject }) => reject(new Error('the connection has ended'))),
  );
  return (bytes) =>
    new Promise((resolve, reject) => {
      if (socket.destroyed) return reject(new Error('the connection has ended'));
      open.push({ resolve, reject });
      socket.write(bytes);
    });
}

function read(bytes: Buffer): Message {
  const isQuery = bytes.readInt32LE(12) === OP_QUERY;
  let at = HEADER_BYTES + 4; // behind the flags
  let body: Document = {};
  let raw: Buffer = Buffer.alloc(0);
  const beside: Buffer[] = [];
  const sizes: number[] = [];
  const readBody = () => {
    const last = at + bytes.readInt32LE(at);
    raw = bytes.subarray(at, last);
    // What is written again keeps its types.
    body = BSON.deserialize(raw, { promoteLongs: false });
    at = last;
  };
  if (isQuery) {
    at = bytes.indexOf(0, at) + 1 + 8; // and the collection, and how many to skip and to give
    readBody();
  }
  const end = bytes.length - (bytes.readInt32LE(HEADER_BYTES) & CHECKSUM ? 4 : 0);
  while (!isQuery && at < end) {
    if (bytes[at++] === BODY) {
      readBody();
      continue;
    }
    const last = at + bytes.readInt32LE(at);
    at = bytes.indexOf(0, at + 4) + 1; // behind its name
    beside.push(bytes.subarray(at, last));
    for (; at < last; at += sizes.at(-1)!) sizes.push(bytes.readInt32LE(at));
  }
  return { bytes, id: bytes.readInt32LE(4), isQuery, body, raw, beside: Buffer.concat(beside), sizes };
}

let lastId = 1;

/** A command, or the answer to a message. */
export const write = (body: Document, answerTo?: Pick<Message, 'id' | 'isQuery'>): Buffer =>
  writeBytes(BSON.serialize(body), answerTo);

/** The same of a document’s bytes. */
export function writeBytes(document: Uint8Array, answerTo?: Pick<Message, 'id' | 'isQuery'>): Buffer {
  const isReply = answerTo?.isQuery === true;
  // Of a reply: its flags, no cursor, from the first, one document.
  const head = Buffer.concat([Buffer.alloc(HEADER_BYTES), Buffer.alloc(isReply ? 20 : 5)]);
  if (isReply) head.writeInt32LE(1, head.length - 4);
  head.writeInt32LE(head.length + document.length, 0);
  head.writeInt32LE(lastId++, 4);
  head.writeInt32LE(answerTo?.id ?? 0, 8);
  head.writeInt32LE(isReply ? OP_REPLY : OP_MSG, 12);
  return Buffer.concat([head, document]);
}
