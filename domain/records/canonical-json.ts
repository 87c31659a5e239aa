/**
 * The name that a reference key has in the feed (docs/contract.md C3): `"account_id": "1001"` becomes `"account":
 * {...}`.
 */
export const REFERENCES = new Map([
  ['account_id', 'account'],
  ['contract_id', 'contract'],
  ['elevator_id', 'elevator'],
  ['ticket_id', 'ticket'],
  ['settlement_id', 'settlement'],
  ['replaces_ticket_id', 'replaces_ticket'],
]);

/** One member that an object may show in the feed. */
interface Member {
  /** `"key":`, and the same after a comma. */
  readonly first: string;
  readonly next: string;
  /** The property it shows, or undefined when only a reference can appear here. */
  readonly key: string | undefined;
  /** The reference key that takes this place while it holds a reference: `account_id` takes the place of `account`. */
  readonly yieldsTo: string | undefined;
  /** A reference key under its own name is shown only while it holds no reference. */
  readonly isReferenceKey: boolean;
}

// An ERP sends records of few shapes, so the layout is nearly always one of the last few with this number of keys.
// The limits bound the memory and the search time that a hostile body can cause.
const SHAPES_KEPT = 8;
const MAX_KEPT = 256;
const MAX_CHARACTERS_KEPT = 8192;

interface Layout {
  keys: readonly string[];
  members: readonly Member[];
}

/** The members of objects in sorted order. They are cached, because sorting costs more than writing. */
export class MemberLayouts {
  private readonly kept: Layout[][] = [];

  /** `without`: keys that are never shown. */
  constructor(private readonly without: ReadonlySet<string> = new Set()) {}

  of(keys: readonly string[]): readonly Member[] {
    const ofLength = this.kept[keys.length] ?? [];
    for (const known of ofLength) if (equal(known.keys, keys)) return known.members;
    const members = layoutOf(keys).filter(({ name }) => !this.without.has(name));
    if (keys.length <= MAX_KEPT && keys.join('').length <= MAX_CHARACTERS_KEPT) {
      this.kept[keys.length] = [{ keys, members }, ...ofLength.slice(0, SHAPES_KEPT - 1)];
    }
    return members;
  }
}

function equal(one: readonly string[], other: readonly string[]): boolean {
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}

function layoutOf(keys: readonly string[]): (Member & { name: string })[] {
  const yieldsTo = new Map<string, string>();
  for (const key of keys) {
    const shown = REFERENCES.get(key);
    if (shown) yieldsTo.set(shown, key);
  }
  const own = new Set(keys);
  return [...new Set([...keys, ...yieldsTo.keys()])].sort().map((name) => ({
    name,
    first: `${JSON.stringify(name)}:`,
    next: `,${JSON.stringify(name)}:`,
    key: own.has(name) ? name : undefined,
    yieldsTo: yieldsTo.get(name),
    isReferenceKey: REFERENCES.has(name),
  }));
}

// Characters that JSON may have to escape. It escapes a surrogate only when it is unpaired.
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

const NESTED = new MemberLayouts();

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Writes one company's JSON values as the feed shows them: references resolved and keys sorted at every depth, so
 * that equal content gives equal bytes whatever the ERP's key order. Not JSON.stringify, as JavaScript objects put
 * integer-like keys first.
 */
export class CanonicalJson {
  constructor(private readonly companyId: string) {}

  value(value: unknown): string {
    switch (typeof value) {
      case 'string':
        return quoted(value);
      case 'number':
        return Object.is(value, -0) ? '-0' : String(value);
      case 'boolean':
        return String(value);
      default:
        if (value === null) return 'null';
        return Array.isArray(value) ? this.list(value) : `{${this.members(value as JsonObject, NESTED)}}`;
    }
  }

  /** The members of an object, without its braces. */
  members(object: JsonObject, layouts: MemberLayouts): string {
    let json = '';
    for (const member of layouts.of(Object.keys(object))) {
      const value = this.shown(object, member);
      if (value !== undefined) json += (json === '' ? member.first : member.next) + value;
    }
    return json;
  }

  private shown(object: JsonObject, { key, yieldsTo, isReferenceKey }: Member): string | undefined {
    if (yieldsTo !== undefined) {
      const target = object[yieldsTo];
      if (isReference(target)) return target === null ? 'null' : this.reference(target);
    }
    if (key === undefined || (isReferenceKey && isReference(object[key]))) return undefined;
    return this.value(object[key]);
  }

  private reference(remoteId: string): string {
    return `{"id":${quoted(`${this.companyId}-${remoteId}`)},"remote_id":${quoted(remoteId)}}`;
  }

  private list(list: readonly unknown[]): string {
    let json = '[';
    for (let i = 0; i < list.length; i++) json += (i === 0 ? '' : ',') + this.value(list[i]);
    return json + ']';
  }
}

function isReference(value: unknown): value is string | null {
  return typeof value === 'string' || value === null;
}

function quoted(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}
