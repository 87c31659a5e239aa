import { MemberLayouts, type Member } from './member-layout';

// Characters that JSON escapes; well-formed text has no lone surrogates.
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
