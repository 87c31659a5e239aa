import { addTo } from './add-to';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The shown part of a value: everything, these members of an object, or these members of each item of a list. `plain`:
 * a text, a figure or a flag; an object or a list becomes `null`.
 */
export type Shape = 'everything' | 'plain' | ShownMembers | Items;

/** A list of objects with these members. */
export class Items {
  constructor(readonly of: ShownMembers) {}
}

/** One member that is shown. */
interface ShownMember {
  readonly shape: Shape;
  /** Its name as JSON writes it, without the quotation marks. */
  readonly name: Buffer;
  readonly isAccount: boolean;
  /** The member that last followed this one: a guess that is nearly always right, as an ERP sends records of few shapes. */
  following: ShownMember | undefined;
}

/**
 * The shown members of an object, found by the bytes of their names. Decoding each name would cost more than everything
 * else.
 */
export class ShownMembers {
  private readonly byHash = new Map<number, ShownMember[]>();
  /** Stands before the first member. */
  readonly start: ShownMember = memberOf('', 'plain');

  /** Of equal names the last one counts. */
  constructor(shown: Iterable<readonly [name: string, shape: Shape]>) {
    for (const [name, shape] of new Map(shown)) {
      const member = memberOf(name, shape);
      addTo(this.byHash, hashOf(member.name, 0, member.name.length), member);
    }
  }

  /** Finds the member whose name begins at `begin`, after the quotation mark; undefined when it is not shown. */
  at(json: Buffer, begin: number, before: ShownMember): ShownMember | undefined {
    if (before.following && isAt(json, begin, before.following)) return before.following;
    const found = this.byHash.get(hashOf(json, begin, endOfText(json, begin)));
    const member = found?.find((one) => isAt(json, begin, one));
    if (member) before.following = member;
    return member;
  }
}

/** The index of the closing quotation mark. `begin` is the index after the opening one. */
export function endOfText(json: Buffer, begin: number): number {
  let at = begin;
  while (json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

const memberOf = (name: string, shape: Shape): ShownMember => ({
  shape,
  name: Buffer.from(JSON.stringify(name).slice(1, -1)),
  isAccount: name === 'account',
  following: undefined,
});

function isAt(json: Buffer, begin: number, { name }: ShownMember): boolean {
  for (let i = 0; i < name.length; i++) if (json[begin + i] !== name[i]) return false;
  return json[begin + name.length] === QUOTE;
}

function hashOf(json: Buffer, begin: number, end: number): number {
  let hash = 0;
  for (let at = begin; at < end; at++) hash = (Math.imul(hash, 31) + json[at]!) | 0;
  return hash;
}
