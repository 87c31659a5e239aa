import { isUtf8 } from 'node:buffer';
import { endOfStringIn, lostDigitsIn } from './lost-digits';

/** A body that is not strict JSON: answered 400 `MALFORMED_BODY` (docs/contract.md A7). The message never quotes a value. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody';
}

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
 * Parses JSON as docs/contract.md A7 accepts it, or throws `MalformedBody`. `JSON.parse` does the parsing. A scan of
 * the bytes before it checks the depth, and a walk of the tree after it finds what `JSON.parse` accepts and we do not.
 * Of two equal keys `JSON.parse` keeps one, so the tree has fewer members than the text has colons. Of a long number it
 * keeps what fits a double. Both are then located in the text.
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

const LONE_SURROGATE = /\p{Surrogate}/u;
const MAX_KEY_SHOWN = 64;

interface Flaw {
  readonly what: string;
  /** `data[0].update-accounts`; empty at the top. */
  readonly path: string;
}

/**
 * Walks a parsed body and finds what `JSON.parse` accepts and we do not (docs/contract.md A7). The depth was checked
 * before.
 */
class TreeInspection {
  /** Members of all objects walked. */
  members = 0;
  /** A number of 2^53 or more was seen; the tree does not show how it was written. */
  seesLarge = false;

  /** `surrogates`: whether the text has surrogate escapes; without them no string needs a check. */
  constructor(private readonly surrogates: boolean) {}

  flawOf(value: unknown): Flaw | undefined {
    if (typeof value === 'string') return this.flawOfString(value);
    if (typeof value === 'number') return this.flawOfNumber(value);
    if (typeof value !== 'object' || value === null) return undefined;
    return Array.isArray(value)
      ? this.flawInList(value)
      : this.flawInObject(value as Record<string, unknown>);
  }

  private flawOfString(text: string): Flaw | undefined {
    return this.surrogates && LONE_SURROGATE.test(text) ? flaw('an unpaired surrogate') : undefined;
  }

  private flawOfNumber(number: number): Flaw | undefined {
    if (Math.abs(number) < 2 ** 53) return undefined;
    this.seesLarge = true;
    return Number.isFinite(number) ? undefined : flaw('a number that is not finite');
  }

  private flawInList(list: readonly unknown[]): Flaw | undefined {
    for (let i = 0; i < list.length; i++) {
      const found = this.flawOf(list[i]);
      if (found) return { what: found.what, path: joined(`[${i}]`, found.path) };
    }
    return undefined;
  }

  private flawInObject(object: Record<string, unknown>): Flaw | undefined {
    for (const key in object) {
      this.members++;
      if (key === '__proto__') return flaw('a key "__proto__"');
      const found = this.flawOfString(key) ?? this.flawOf(object[key]);
      if (found) return { what: found.what, path: joined(key.slice(0, MAX_KEY_SHOWN), found.path) };
    }
    return undefined;
  }
}

function flaw(what: string): Flaw {
  return { what, path: '' };
}

function joined(step: string, rest: string): string {
  return rest === '' || rest.startsWith('[') ? step + rest : `${step}.${rest}`;
}

/**
 * Names the first duplicate key in a valid JSON text: `duplicate key "id" at data[0].update-accounts`. Slower than
 * parsing, so it is called only when a duplicate is known to exist.
 */
function duplicateKeyIn(text: string): string {
  const frames: Frame[] = [];
  let keyIsNext = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '"') {
      const end = endOfStringIn(text, i);
      const key = keyIsNext ? (JSON.parse(text.slice(i, end + 1)) as string) : undefined;
      if (key !== undefined && !frames.at(-1)!.enter(key)) return described(key, frames.slice(0, -1));
      keyIsNext = false;
      i = end;
    } else if (character === '{' || character === '[') {
      keyIsNext = character === '{';
      frames.push(new Frame(keyIsNext));
    } else if (character === '}' || character === ']') frames.pop();
    else if (character === ',') keyIsNext = frames.at(-1)!.next();
  }
  return 'a duplicate key';
}

/** An object or a list that is open at the current character. */
class Frame {
  /** The path segment of its current member: a key, or `[3]`. */
  step: string;
  private readonly keys = new Set<string>();
  private index = 0;

  constructor(private readonly isObject: boolean) {
    this.step = isObject ? '' : '[0]';
  }

  /** False when the object has the key already. */
  enter(key: string): boolean {
    this.step = key.slice(0, MAX_KEY_SHOWN);
    const before = this.keys.size;
    return this.keys.add(key).size > before;
  }

  /** Moves past a comma. @returns whether a key follows */
  next(): boolean {
    if (!this.isObject) this.step = `[${++this.index}]`;
    return this.isObject;
  }
}

function described(key: string, frames: readonly Frame[]): string {
  const path = frames.map(({ step }) => (step.startsWith('[') ? step : `.${step}`)).join('');
  return `duplicate key ${JSON.stringify(key.slice(0, MAX_KEY_SHOWN))} at ${path.replace(/^\./, '') || 'the top'}`;
}

/** Whether a JSON value is an object, and not a list. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
