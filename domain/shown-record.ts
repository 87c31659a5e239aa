import { type EntityType, WRAPPER_KEYS } from './entity-types';

/** A stored record and the accounts that decide who receives it. */
interface StoredRecord {
  readonly wire: Buffer;
  readonly account_ids: readonly string[];
}

/**
 * A record as a channel of scope `subscribed` sees it (docs/contract.md C18), without accounts that are not shared: a
 * list item of such an account is replaced by `null`, and so is any other reference to it. A record without a shared
 * account, as it was corrected to another one, is shown as deleted, without its other fields.
 * @returns the same bytes where nothing has to be hidden
 */
export function shownRecord(
  type: EntityType,
  { wire, account_ids }: StoredRecord,
  shared: ReadonlySet<string>,
): Buffer {
  if (!account_ids.some((account) => shared.has(account))) return shortTombstone(type, wire);
  const isHidden = (account: string) => !shared.has(account);
  const begin = `{"${WRAPPER_KEYS[type]}":`.length;
  if (!namesAny(wire, begin, isHidden)) return wire;
  return withNulls(wire, new HiddenSpans(wire, isHidden).in(begin));
}

type IsHidden = (account: string) => boolean;

// As domain/canonical-json.ts writes it. Inside a string its quotation marks would be escaped.
const REFERENCE = Buffer.from('"account":{"id":"');
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const NULL = Buffer.from('null');

/** Whether a hidden account may be named; a quick check before the full walk. */
function namesAny(wire: Buffer, begin: number, isHidden: IsHidden): boolean {
  for (let at = wire.indexOf(REFERENCE, begin); at !== -1; at = wire.indexOf(REFERENCE, at)) {
    at += REFERENCE.length;
    const id = wire.toString('utf8', at, wire.indexOf(QUOTE, at));
    if (id.includes('\\') || isHidden(id)) return true;
  }
  return false;
}

/** Walks through compact JSON and collects the spans that are replaced by `null`. */
class HiddenSpans {
  private at = 0;
  private readonly spans: [begin: number, end: number][] = [];

  constructor(
    private readonly wire: Buffer,
    private readonly isHidden: IsHidden,
  ) {}

  /** The spans in the object that begins there, in order and without nesting. */
  in(begin: number): readonly [begin: number, end: number][] {
    this.at = begin;
    this.value(false);
    return this.spans;
  }

  private value(isItem: boolean): void {
    const first = this.wire[this.at];
    if (first === OPEN_OBJECT) this.object(isItem);
    else if (first === OPEN_LIST) this.list();
    else if (first === QUOTE) this.text();
    else while (!this.is(COMMA) && !this.is(CLOSE_OBJECT) && !this.is(CLOSE_LIST)) this.at += 1;
  }

  private object(isItem: boolean): void {
    const [begin, before] = [this.at, this.spans.length];
    let isHidden = false;
    for (this.at += 1; !this.is(CLOSE_OBJECT); this.comma()) {
      const key = this.text();
      this.at += 1; // the colon
      const value = this.at;
      this.value(false);
      if (key !== 'account' || !this.isHiddenReference(value)) continue;
      isHidden = true;
      this.spans.push([value, this.at]);
    }
    this.at += 1;
    if (isItem && isHidden) this.spans.splice(before, Infinity, [begin, this.at]);
  }

  private list(): void {
    for (this.at += 1; !this.is(CLOSE_LIST); this.comma()) this.value(true);
    this.at += 1;
  }

  private text(): string {
    const begin = this.at;
    for (this.at += 1; !this.is(QUOTE); this.at += 1) if (this.is(BACKSLASH)) this.at += 1;
    this.at += 1;
    return this.read(begin) as string;
  }

  private isHiddenReference(begin: number): boolean {
    if (this.wire[begin] !== OPEN_OBJECT) return false;
    const { id } = this.read(begin) as { id?: unknown };
    return typeof id === 'string' && this.isHidden(id);
  }

  private read(begin: number): unknown {
    return JSON.parse(this.wire.toString('utf8', begin, this.at));
  }

  private comma(): void {
    if (this.is(COMMA)) this.at += 1;
  }

  private is(byte: number): boolean {
    return this.wire[this.at] === byte;
  }
}

function withNulls(wire: Buffer, spans: readonly [begin: number, end: number][]): Buffer {
  if (spans.length === 0) return wire;
  const pieces: Buffer[] = [];
  let from = 0;
  for (const [begin, end] of spans) {
    pieces.push(wire.subarray(from, begin), NULL);
    from = end;
  }
  return Buffer.concat([...pieces, wire.subarray(from)]);
}

function shortTombstone(type: EntityType, wire: Buffer): Buffer {
  const key = WRAPPER_KEYS[type];
  const record = (JSON.parse(wire.toString('utf8')) as Record<string, Record<string, unknown>>)[key]!;
  const { id, remote_id, company, updated_at } = record;
  const deleted_at = record['deleted_at'] ?? updated_at;
  return Buffer.from(JSON.stringify({ [key]: { id, remote_id, company, updated_at, deleted_at } }));
}
