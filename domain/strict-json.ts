import { isUtf8 } from 'node:buffer';
import { duplicateKeyIn } from './duplicate-key';
import { lostDigitsIn } from './lost-digits';
import { MalformedBody } from './malformed-body';
import { TreeInspection } from './tree-inspection';

const MAX_DEPTH = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
// '[' and '{' differ in one bit only, and so do ']' and '}'.
const BRACKET_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

// Valid UTF-8 can contain a surrogate only as an escape.
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/**
 * JSON as docs/contract.md A7 accepts it, or `MalformedBody`. `JSON.parse` does the parsing; a scan of the bytes
 * before it (depth) and a walk of the tree after it find what it lets through. It keeps one of two equal keys, so a
 * duplicate leaves fewer members in the tree than colons in the text. It also keeps of a number what a double has, and
 * says nothing of the digits that this costs. Both cases are located in the text.
 */
export function parseStrictJson(body: Buffer): unknown {
  if (body.length === 0) throw new MalformedBody('the body is empty');
  if (!isUtf8(body)) throw new MalformedBody('the body is not valid UTF-8');
  const bytes = withoutByteOrderMark(body);
  const members = countMembers(bytes);
  const text = bytes.toString('utf8');
  const value = parse(text);
  const tree = new TreeInspection(SURROGATE_ESCAPE.test(text));
  const flaw = tree.flawOf(value);
  if (flaw) throw new MalformedBody(`${flaw.what} at ${flaw.path || 'the top'}`);
  if (tree.members !== members) throw new MalformedBody(duplicateKeyIn(text));
  const position = tree.seesLarge ? lostDigitsIn(text) : undefined;
  if (position !== undefined)
    throw new MalformedBody(`a number with digits past 2^53 at position ${position}`);
  return value;
}

function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** Counts colons outside strings, and checks the depth before any recursion. */
function countMembers(bytes: Buffer): number {
  let depth = 0;
  let members = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === QUOTE) i = endOfString(bytes, i);
    else if (byte === COLON) members++;
    else if ((byte | BRACKET_BIT) === CLOSE) depth--;
    else if ((byte | BRACKET_BIT) === OPEN && ++depth > MAX_DEPTH) {
      throw new MalformedBody(`nested more than ${MAX_DEPTH} levels deep`);
    }
  }
  return members;
}

function endOfString(bytes: Buffer, start: number): number {
  let i = start + 1;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}

// V8's message quotes the text around the error, which may be a phone number, so only the position is passed on.
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    if (message.startsWith('Unexpected end')) throw new MalformedBody('not valid JSON: it ends too early');
    const position = /at position (\d+)/.exec(message);
    throw new MalformedBody(position ? `not valid JSON at position ${position[1]}` : 'not valid JSON');
  }
}
