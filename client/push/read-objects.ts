import { MalformedBody, parseStrictJson } from '../../domain/records/strict-json';
import { FileProblem, problemAt } from '../file-problem';

// A larger record means that the file was cut off, or that the records lie deeper in it.
const MOST_BYTES = 1024 * 1024;

const [QUOTE, BACKSLASH, NEWLINE] = [0x22, 0x5c, 0x0a];
const [OPEN, CLOSE, LIST, LIST_END, COMMA, COLON] = [0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a];
// Bytes of UTF-8 with these bits continue a character.
const [CONTINUED, CONTINUES] = [0xc0, 0x80];
const BLANK = new Set([0x20, 0x09, 0x0d, NEWLINE, 0x0c]);

/** A value of a JSON file that is read as a whole: a record, or a member of an object that encloses the records. */
export interface JsonValue {
  /** The line in which it begins. */
  line: number;
  /** Its index in each enclosing list, from the outermost. */
  at: readonly number[];
  /** Unset for a record. For a member, its path as in the mapping: `sites[].siteCode`; for a list without an item `sites[]`. */
  path?: string;
  value: unknown;
}

/** An object or list that encloses the records. */
interface Frame {
  isList: boolean;
  key: string;
  index: number;
  /** Nothing has begun in it yet. */
  isEmpty: boolean;
}

/** Splits `sites[].tickets[]` into the members and lists that enclose a record, from the outermost. */
const stepsOf = (property: string) => property.match(/\[\]|[^.[\]]+/g) ?? [];

/**
 * Reads the records of a file: one after the other (NDJSON), in one list, or at the path `property`. Only one is in
 * memory at a time.
 * @throws FileProblem
 */
export async function* readObjects(
  chunks: AsyncIterable<Buffer>,
  property?: string,
): AsyncGenerator<JsonValue> {
  const steps = property === undefined ? undefined : stepsOf(property);
  const scan = new JsonScan(steps);
  for await (const chunk of chunks) yield* scan.write(chunk);
  scan.end();
  for (const path of scan.emptyLists) yield { line: 1, at: [], value: undefined, path };
}

class JsonScan {
  /** The paths of lists on the way to the records that have no item. */
  readonly emptyLists = new Set<string>();
  private readonly frames: Frame[] = [];
  private held: Buffer[] = [];
  private heldBytes = 0;
  private line = 1;
  private column = 0;
  private began = { line: 1, column: 0 };
  /** The depth within the value that is being read as a whole; 0 outside of one. */
  private depth = 0;
  private isScalar = false;
  private inText = false;
  private escaped = false;
  /** The name of the member whose value comes next. */
  private key: string | undefined;
  private isWhole = false;
  /** The value being read is a record. */
  private isWanted = false;

  constructor(private readonly steps: readonly string[] | undefined) {}

  *write(chunk: Buffer): Generator<JsonValue> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (byte === NEWLINE) [this.line, this.column] = [this.line + 1, 0];
      else if ((byte & CONTINUED) !== CONTINUES) this.column++;
      if (this.isWhole) {
        const ended = this.pass(byte);
        if (ended === undefined) continue;
        this.hold(chunk.subarray(from, ended === 'with' ? at + 1 : at));
        const value = this.take();
        if (value) yield value;
        if (ended === 'with') continue;
      }
      if (this.structure(byte)) from = at;
    }
    if (!this.isWhole) return;
    this.hold(Buffer.from(chunk.subarray(from)));
    if (this.heldBytes <= MOST_BYTES) return;
    if (this.isWanted)
      throw new FileProblem(
        { line: this.began.line },
        `a record of more than 1 MiB${this.steps ? '' : ': are the records deeper in the file? Then name where by "property" in the "dialect", such as "sites[].tickets[]"'}`,
      );
    this.held = [Buffer.from('null')]; // too large to keep: it is replaced by null
  }

  end(): void {
    if (this.isWhole && !(this.isScalar && this.frames.length === 0))
      throw new FileProblem({ line: this.began.line }, 'the file ends within this record: is it complete?');
    if (this.frames.length > 0)
      throw new FileProblem(
        { line: this.line },
        `the ${this.frames.at(-1)!.isList ? 'list' : 'object'} does not end: is the file complete?`,
      );
  }

  /**
   * Moves past a byte of a value. @returns whether the value ended with this byte or before it; undefined when it
   * continues
   */
  private pass(byte: number): 'with' | 'before' | undefined {
    if (this.inText) {
      if (this.escaped) this.escaped = false;
      else if (byte === BACKSLASH) this.escaped = true;
      else if (byte === QUOTE) {
        this.inText = false;
        return this.depth === 0 ? 'with' : undefined;
      }
      return undefined;
    }
    if (this.isScalar)
      return BLANK.has(byte) || byte === COMMA || byte === CLOSE || byte === LIST_END ? 'before' : undefined;
    if (byte === QUOTE) this.inText = true;
    else if (byte === OPEN || byte === LIST) this.depth++;
    else if ((byte === CLOSE || byte === LIST_END) && --this.depth === 0) return 'with';
    return undefined;
  }

  private hold(bytes: Buffer): void {
    if (this.isWanted || this.heldBytes <= MOST_BYTES) this.held.push(bytes);
    this.heldBytes += bytes.length;
  }

  /** Takes a finished value: a member's name, a record, or another member. */
  private take(): JsonValue | undefined {
    const [bytes, began] = [Buffer.concat(this.held), this.began];
    [this.held, this.heldBytes, this.isWhole, this.isScalar] = [[], 0, false, false];
    const frame = this.frames.at(-1);
    const value = parse(bytes, began);
    if (frame && !frame.isList && this.key === undefined) return void (this.key = String(value));
    const path = this.pathOf(frame);
    const at = this.frames.filter(({ isList }) => isList).map(({ index }) => index);
    this.key = undefined;
    const isRecord = this.isRecord(path);
    if (isRecord && (typeof value !== 'object' || value === null || Array.isArray(value)))
      throw new FileProblem(began, 'a record is an object: { ... }');
    return { line: began.line, at, value, ...(isRecord ? {} : { path: sayPath(path) }) };
  }

  /** The path of a value that begins here: its enclosing members and lists, then its own name. */
  private pathOf(frame: Frame | undefined): string[] {
    const outer = this.frames.flatMap(({ isList, key }) => [
      ...(key ? [key] : []),
      ...(isList ? ['[]'] : []),
    ]);
    return frame && !frame.isList ? [...outer, this.key ?? ''] : outer;
  }

  private isRecord(path: readonly string[]): boolean {
    return this.steps
      ? path.length === this.steps.length && path.every((step, index) => step === this.steps![index])
      : true;
  }

  /** Whether the value that begins here encloses records. */
  private encloses(path: readonly string[], isList: boolean): boolean {
    if (!this.steps) return isList && this.frames.length === 0;
    const own = isList ? [...path, '[]'] : path;
    const isOn = own.every((step, index) => step === this.steps![index]);
    return isOn && (isList || path.length < this.steps.length);
  }

  /** Handles a byte between values. @returns whether a value to be read as a whole begins with it */
  private structure(byte: number): boolean {
    const frame = this.frames.at(-1);
    if (BLANK.has(byte) || (byte === COLON && this.key !== undefined)) return false;
    if (byte === COMMA) {
      if (frame?.isList) frame.index++;
      return false;
    }
    if (frame && byte === (frame.isList ? LIST_END : CLOSE)) {
      if (frame.isList && frame.isEmpty) this.emptyLists.add(sayPath(this.pathOf(frame)));
      this.frames.pop();
      return false;
    }
    if (frame) frame.isEmpty = false;
    const isName = frame !== undefined && !frame.isList && this.key === undefined;
    const isList = byte === LIST;
    if (!isName && (isList || byte === OPEN)) {
      const path = this.pathOf(frame);
      if (this.encloses(path, isList)) {
        this.frames.push({
          isList,
          key: frame && !frame.isList ? (this.key ?? '') : '',
          index: 0,
          isEmpty: true,
        });
        this.key = undefined;
        return false;
      }
    } else if (
      isName
        ? byte !== QUOTE
        : !/[-"\dtfn]/.test(String.fromCharCode(byte)) || (frame === undefined && this.steps === undefined)
    ) {
      throw new FileProblem({ line: this.line, column: this.column }, 'a record is an object: { ... }');
    }
    [this.began, this.isWhole] = [{ line: this.line, column: this.column }, true];
    [this.depth, this.inText, this.escaped] = [byte === OPEN || isList ? 1 : 0, byte === QUOTE, false];
    this.isScalar = this.depth === 0 && !this.inText;
    this.isWanted = !isName && this.isRecord(this.pathOf(frame));
    return true;
  }
}

const sayPath = (steps: readonly string[]) =>
  steps.reduce((path, step) => (step === '[]' ? `${path}[]` : path ? `${path}.${step}` : step), '');

function parse(bytes: Buffer, began: { line: number; column: number }): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof MalformedBody)) throw error;
    throw problemAt(bytes.toString(), error.message, began);
  }
}
