import { BSON, type Document } from 'mongodb';

// A message of MongoDB's wire protocol: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/#op_msg

const HEADER_BYTES = 16;
const [OP_REPLY, OP_QUERY, OP_MSG] = [1, 2004, 2013]; // the first two of a first handshake alone
const BODY = 0; // the other kind of section holds documents beside it, such as those of an insert

/** A message as it came. */
export interface Message {
  bytes: Buffer;
  id: number;
  /** Its command or answer. */
  body: Document;
  isQuery: boolean;
}

/** Cuts a stream into messages. @param take gets each once all of it has come */
export function messageReader(take: (message: Message) => void): (chunk: Buffer) => void {
  let waiting: Buffer = Buffer.alloc(0);
  return (chunk) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    while (waiting.length >= HEADER_BYTES && waiting.length >= waiting.readInt32LE(0)) {
      const length = waiting.readInt32LE(0);
      take(read(waiting.subarray(0, length)));
      waiting = waiting.subarray(length);
    }
  };
}

function read(bytes: Buffer): Message {
  const isQuery = bytes.readInt32LE(12) === OP_QUERY;
  let at = HEADER_BYTES + 4; // behind the flags
  if (isQuery) at = bytes.indexOf(0, at) + 1 + 8; // and the collection, and how many to skip and to give
  else while (bytes[at++] !== BODY) at += bytes.readInt32LE(at);
  // What is written again keeps its types.
  const body = BSON.deserialize(bytes.subarray(at, at + bytes.readInt32LE(at)), { promoteLongs: false });
  return { bytes, id: bytes.readInt32LE(4), isQuery, body };
}

let lastId = 1;

/** A command, or the answer to a message. */
export function write(body: Document, answerTo?: Pick<Message, 'id' | 'isQuery'>): Buffer {
  const isReply = answerTo?.isQuery === true;
  // Of a reply: its flags, no cursor, from the first, one document.
  const head = Buffer.concat([Buffer.alloc(HEADER_BYTES), Buffer.alloc(isReply ? 20 : 5)]);
  if (isReply) head.writeInt32LE(1, head.length - 4);
  const document = BSON.serialize(body);
  head.writeInt32LE(head.length + document.length, 0);
  head.writeInt32LE(lastId++, 4);
  head.writeInt32LE(answerTo?.id ?? 0, 8);
  head.writeInt32LE(isReply ? OP_REPLY : OP_MSG, 12);
  return Buffer.concat([head, document]);
}
