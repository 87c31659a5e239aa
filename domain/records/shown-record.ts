import { type EntityType, WRAPPER_KEYS } from './entity-types';
import type { ShownFields } from './shown-fields';
import { endOfText, Items, ShownMembers, type Shape } from './shown-members';

/** A stored record and the accounts that decide who receives it. */
interface StoredRecord {
  readonly wire: Buffer;
  readonly account_ids: readonly string[];
}

/** What a channel of scope `subscribed` may see. */
interface Shown {
  readonly shared: { has(account: string): boolean };
  readonly fields: ShownFields;
}

/**
 * A record as a channel of scope `subscribed` sees it (docs/contract.md C18). Fields that no schema knows are removed
 * unless they are declared. List items of accounts that are not shared become `null`, and so do other references to
 * such accounts. A record that was corrected away from all shared accounts is shown as deleted, without its other
 * fields.
 * @returns the same bytes where nothing has to be hidden
 */
export function shownRecord(
  type: EntityType,
  { wire, account_ids }: StoredRecord,
  { shared, fields }: Shown,
): Buffer {
  if (!account_ids.some((account) => shared.has(account))) return shortTombstone(type, wire);
  const begin = `{"${WRAPPER_KEYS[type]}":`.length;
  const cuts = new Cuts(wire, (account) => !shared.has(account));
  return without(wire, cuts.in(begin, fields.of(type, companyOf(wire, begin))));
}

/** A part of the bytes that is left out, or replaced. */
type Cut = readonly [begin: number, end: number, instead?: Buffer];

// The forms in which domain/records/canonical-json.ts writes references, and domain/records/render-record.ts the beginning of a record.
const ID = Buffer.from('{"id":"');
const ACCOUNT = Buffer.from('account');
const NULL = Buffer.from('null');
const [QUOTE, COMMA, DASH] = [0x22, 0x2c, 0x2d];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const BRACKET_BIT = 0x20;

/** The company in a record's id: the part before the first `-`. */
function companyOf(wire: Buffer, begin: number): string {
  const at = begin + ID.length;
  return wire.toString('latin1', at, wire.indexOf(DASH, at));
}

/** Walks through compact JSON and collects the parts to cut. */
class Cuts {
  private at = 0;
  private readonly cuts: Cut[] = [];

  constructor(
    private readonly wire: Buffer,
    private readonly isHidden: (account: string) => boolean,
  ) {}

  /** The cuts in the object that begins there, in order and without nesting. */
  in(begin: number, members: ShownMembers): readonly Cut[] {
    this.at = begin;
    this.object(members, false);
    return this.cuts;
  }

  private value(shape: Shape, isItem: boolean): void {
    const begin = this.at;
    const first = this.wire[begin];
    if (first !== OPEN_OBJECT && first !== OPEN_LIST) return this.skip();
    const isObject = first === OPEN_OBJECT;
    if (shape === 'everything') return isObject ? this.object(undefined, isItem) : this.list(shape);
    if (isObject && shape instanceof ShownMembers) return this.object(shape, isItem);
    if (!isObject && shape instanceof Items) return this.list(shape.of);
    this.skip();
    this.replace(begin, this.cuts.length);
  }

  /** Walks through an object. `members` undefined: all are shown. */
  private object(members: ShownMembers | undefined, isItem: boolean): void {
    const [begin, before] = [this.at, this.cuts.length];
    let [isFirst, isHidden] = [true, false];
    let last = members?.start;
    for (this.at += 1; !this.is(CLOSE_OBJECT); this.comma()) {
      const key = this.at;
      const member = last && members?.at(this.wire, key + 1, last);
      const value = (member ? key + 1 + member.name.length : endOfText(this.wire, key + 1)) + 2;
      this.at = value;
      if (members && !member) {
        this.leaveOut(key, isFirst);
        continue;
      }
      const inside = this.cuts.length;
      this.value(member?.shape ?? 'everything', false);
      [last, isFirst] = [member, false];
      const isAccount = member?.isAccount ?? ACCOUNT.equals(this.wire.subarray(key + 1, value - 2));
      if (!isAccount || !this.isHiddenReference(value)) continue;
      isHidden = true;
      this.replace(value, inside);
    }
    this.at += 1;
    if (isItem && isHidden) this.replace(begin, before);
  }

  private list(items: Shape): void {
    for (this.at += 1; !this.is(CLOSE_LIST); this.comma()) this.value(items, true);
    this.at += 1;
  }

  /** Cuts a member with the comma before it, or the first one with the comma after it. */
  private leaveOut(key: number, isFirst: boolean): void {
    this.skip();
    if (isFirst) this.comma();
    this.cuts.push([isFirst ? key : key - 1, this.at]);
  }

  /** Replaces the value from `begin` to here, with all cuts inside it. */
  private replace(begin: number, inside: number): void {
    this.cuts.splice(inside, Infinity, [begin, this.at, NULL]);
  }

  /** Moves past a value of any kind. */
  private skip(): void {
    const first = this.wire[this.at];
    if (first === QUOTE) this.at = endOfText(this.wire, this.at + 1) + 1;
    else if (first === OPEN_OBJECT || first === OPEN_LIST) this.skipNested();
    else while (!this.is(COMMA) && !this.is(CLOSE_OBJECT) && !this.is(CLOSE_LIST)) this.at += 1;
  }

  private skipNested(): void {
    let depth = 0;
    do {
      const byte = this.wire[this.at]!;
      if (byte === QUOTE) this.at = endOfText(this.wire, this.at + 1);
      else if ((byte | BRACKET_BIT) === OPEN_OBJECT) depth += 1;
      else if ((byte | BRACKET_BIT) === CLOSE_OBJECT) depth -= 1;
      this.at += 1;
    } while (depth > 0);
  }

  private isHiddenReference(begin: number): boolean {
    if (this.wire[begin] !== OPEN_OBJECT) return false;
    const id = this.plainId(begin) ?? this.read(begin).id;
    return typeof id === 'string' && this.isHidden(id);
  }

  /** Reads an id at the beginning of an object without parsing; undefined when it has escapes. */
  private plainId(begin: number): string | undefined {
    for (let i = 0; i < ID.length; i++) if (this.wire[begin + i] !== ID[i]) return undefined;
    const at = begin + ID.length;
    const id = this.wire.toString('utf8', at, this.wire.indexOf(QUOTE, at));
    return id.includes('\\') ? undefined : id;
  }

  private read(begin: number): { id?: unknown } {
    return JSON.parse(this.wire.toString('utf8', begin, this.at)) as { id?: unknown };
  }

  private comma(): void {
    if (this.is(COMMA)) this.at += 1;
  }

  private is(byte: number): boolean {
    return this.wire[this.at] === byte;
  }
}

function without(wire: Buffer, cuts: readonly Cut[]): Buffer {
  if (cuts.length === 0) return wire;
  const pieces: Buffer[] = [];
  let from = 0;
  for (const [begin, end, instead] of cuts) {
    pieces.push(wire.subarray(from, begin), ...(instead ? [instead] : []));
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
