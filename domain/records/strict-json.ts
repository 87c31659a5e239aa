import { isUtf8 } from 'node:buffer';
import { randomInt } from 'node:crypto';
import { endOfStringIn, lostDigitsIn } from './lost-digits';

/** A body that is not strict JSON: answered 400 `MALFORMED_BODY` (docs/contract.md A7). The message never quotes a value. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody';
}

const MAX_DEPTH = 32;
// ERPs write 17 bytes and more for a value with its name, so that a push of 16 MiB has fewer. An empty object takes three
// bytes here and sixty in memory.
const MAX_VALUES = 1_000_000;
// One record is rendered in one go. The longest of the field has a few thousand.
const MAX_VALUES_OF_RECORD = 100_000;
// A body is an object of lists of objects of objects of lists of records.
const RECORD_DEPTH = 6;
// V8 keeps the members of a larger object in a table. No record of docs/records.md has a hundred.
const MAX_MEMBERS = 1_000;
// V8 keeps each name of a member once and for long, which costs a microsecond. ERPs have a few hundred names.
const MAX_NAMES = 50_000;
// One name in eight, by chance, is looked at. Of 50,000 different ones there would be about 6,000.
const SAMPLED_APART = 15;
const MANY_SAMPLED = 2_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
// '[' and '{' differ in one bit only, and so do ']' and '}'.
const BRACKET_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

// Valid UTF-8 can contain a surrogate only as an escape.
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** Parses JSON as docs/contract.md A7 accepts it, or throws `MalformedBody`. */
export function parseStrictJson(body: Buffer): unknown {
  const { parse, inspect } = scanJson(body);
  return inspect(parse());
}

/**
 * `JSON.parse` does the parsing. A scan of the bytes before it checks the depth and counts, and a walk of the tree after it finds what `JSON.parse` accepts and we do not.
 * Of two equal keys `JSON.parse` keeps one, so the tree has fewer members than the text has colons. Of a long number it
 * keeps what fits a double. Both are then located in the text.
 * @returns how many values `parse` makes of it, about, which says what it costs; what it makes is for `inspect` alone, which
 * gives it back. Each takes up to half a second of the largest body, so that others have their turn between them.
 * @throws MalformedBody, as `parse` and `inspect` do
 */
export function scanJson(body: Buffer): {
  values: number;
  parse: () => Uninspected;
  inspect: (parsed: Uninspected) => unknown;
} {
  if (body.length === 0) throw new MalformedBody('the body is empty');
  if (!isUtf8(body)) throw new MalformedBody('the body is not valid UTF-8');
  const bytes = withoutByteOrderMark(body);
  const { values, members, sampledNames } = countIn(bytes);
  if (sampledNames > MANY_SAMPLED) refuseManyNames(bytes);
  return {
    values,
    parse() {
      const text = bytes.toString('utf8');
      return { text, value: parse(text) };
    },
    inspect: (parsed) => inspected(parsed, members),
  };
}

interface Uninspected {
  text: string;
  value: unknown;
}

function inspected({ text, value }: Uninspected, members: number): unknown {
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

// One for all bodies: `gdx push` counts in each record of a million.
const membersAt = new Uint32Array(MAX_DEPTH + 1);
const HASH_SEED = randomInt(2 ** 32);

// V8 compiles a loop over megabytes anew for each body, and what is called often only once.
const PIECE = 4_096;

/** Counts colons, and what begins a value, outside strings. Checks depth and counts before any recursion. */
function countIn(bytes: Buffer): { members: number; values: number; sampledNames: number } {
  membersAt[0] = 0;
  const counts: Counts = {
    at: 0,
    depth: 0,
    members: 0,
    values: 0,
    beforeRecord: 0,
    nextSampled: 1,
    name: [0, 0],
  };
  const sampled = new Set<number>();
  while (counts.at < bytes.length) countPiece(bytes, counts, sampled);
  return { members: counts.members, values: counts.values, sampledNames: sampled.size };
}

interface Counts {
  /** What has been counted ends here. */
  at: number;
  depth: number;
  members: number;
  values: number;
  /** The values before the record that is being counted. */
  beforeRecord: number;
  /** The next member whose name is sampled. */
  nextSampled: number;
  /** Where the last string began and ended. */
  name: [number, number];
}

function countPiece(bytes: Buffer, counts: Counts, sampled: Set<number>): void {
  let { at: i, depth, members, values, beforeRecord, nextSampled } = counts;
  let [textStart, textEnd] = counts.name;
  const end = Math.min(i + PIECE, bytes.length);
  for (; i < end; i++) {
    const byte = bytes[i]!;
    if (byte === QUOTE) {
      textStart = i + 1;
      i = textEnd = endOfString(bytes, i);
    } else if (byte === COLON) {
      if (++members === nextSampled) {
        sampled.add(hashOf(bytes, textStart, textEnd));
        nextSampled += 1 + Math.floor(Math.random() * SAMPLED_APART);
      }
      if (++membersAt[depth]! > MAX_MEMBERS) throw tooMany(MAX_MEMBERS, 'members in one object');
    } else if ((byte | BRACKET_BIT) === CLOSE) depth--;
    else if (byte === COMMA || (byte | BRACKET_BIT) === OPEN) {
      if (++values > MAX_VALUES) throw tooMany(MAX_VALUES, 'values');
      if (byte !== COMMA) {
        if (++depth > MAX_DEPTH) throw new MalformedBody(`nested more than ${MAX_DEPTH} levels deep`);
        if (depth === RECORD_DEPTH) beforeRecord = values;
        membersAt[depth] = 0;
      } else if (depth < RECORD_DEPTH) beforeRecord = values;
      if (values - beforeRecord > MAX_VALUES_OF_RECORD)
        throw tooMany(MAX_VALUES_OF_RECORD, 'values in one record');
    }
  }
  Object.assign(counts, { at: i, depth, members, values, beforeRecord, nextSampled });
  counts.name = [textStart, textEnd];
}

/** Looks at every name, where those looked at by chance were many. */
function refuseManyNames(bytes: Buffer): void {
  const names = new Set<number>();
  let [start, end] = [0, 0];
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === QUOTE) {
      start = i + 1;
      i = end = endOfString(bytes, i);
    } else if (bytes[i] === COLON && names.add(hashOf(bytes, start, end)).size > MAX_NAMES)
      throw tooMany(MAX_NAMES, 'different member names');
  }
}

/** FNV-1a, with a seed that nobody outside knows. Of 50,000 names a few have the same: fewer bits would make them forty. */
function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = HASH_SEED;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 16_777_619);
  return hash | 0; // an integer that V8 keeps without a box
}

const tooMany = (most: number, what: string) => new MalformedBody(`more than ${most} ${what}`);

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
