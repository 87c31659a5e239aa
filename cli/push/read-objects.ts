import { MalformedBody, parseStrictJson } from '../../domain/strict-json';
import { FileProblem, problemAt } from '../text-file/file-problem';

// A record larger than this is a file that was cut off or is not a list of records.
const MOST_BYTES = 1024 * 1024;

const [QUOTE, BACKSLASH, NEWLINE] = [0x22, 0x5c, 0x0a];
const [OPEN, CLOSE, LIST, LIST_END] = [0x7b, 0x7d, 0x5b, 0x5d];
// Of bytes in UTF-8: those with these bits belong to the character before them.
const [CONTINUED, CONTINUES] = [0xc0, 0x80];
const BETWEEN = new Set([0x20, 0x09, 0x0d, NEWLINE, 0x2c]);

export interface JsonObject {
  /** Where it begins. */
  line: number;
  value: Record<string, unknown>;
}

/**
 * The objects of a file: one after the other (NDJSON), or in one list (JSON). One at a time is in memory.
 * @throws FileProblem
 */
export async function* readObjects(chunks: AsyncIterable<Buffer>): AsyncGenerator<JsonObject> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let [line, column] = [1, 0];
  let began = { line, column };
  let depth = 0;
  let lists = 0;
  let inText = false;
  let escaped = false;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (byte === NEWLINE) [line, column] = [line + 1, 0];
      else if ((byte & CONTINUED) !== CONTINUES) column++;
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inText = false;
      } else if (depth > 0) {
        if (byte === QUOTE) inText = true;
        else if (byte === OPEN) depth++;
        else if (byte === CLOSE && --depth === 0) {
          held.push(chunk.subarray(from, at + 1));
          yield { line: began.line, value: parse(Buffer.concat(held), began) };
          [held, heldBytes] = [[], 0];
        }
      } else if (byte === OPEN) {
        [depth, from, began] = [1, at, { line, column }];
      } else if (byte === LIST && lists === 0) lists = 1;
      else if (byte === LIST_END && lists === 1) lists = 2;
      else if (!BETWEEN.has(byte)) throw new FileProblem({ line, column }, 'a record is an object: { ... }');
    }
    if (depth === 0) continue;
    held.push(Buffer.from(chunk.subarray(from)));
    heldBytes += chunk.length - from;
    if (heldBytes > MOST_BYTES) throw new FileProblem({ line: began.line }, 'a record of more than 1 MiB');
  }
  if (depth > 0)
    throw new FileProblem({ line: began.line }, 'the file ends within this record: is it complete?');
  if (lists === 1) throw new FileProblem({ line }, 'the list does not end: is the file complete?');
}

function parse(bytes: Buffer, began: { line: number; column: number }): Record<string, unknown> {
  try {
    return parseStrictJson(bytes) as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof MalformedBody)) throw error;
    throw problemAt(bytes.toString(), error.message, began);
  }
}
