import type { TObject } from '@sinclair/typebox';
import { REFERENCES } from './canonical-json';
import { COMMANDS, type RecordType } from './commands';
import { meantField } from './meant-field';
import { plainName } from '../text/nearest-name';

type Fields = Readonly<Record<string, unknown>>;

/** A member that no schema knows, and the field that it may be meant for. */
interface MisspeltField {
  /** `net_wieght`, `splits[0].acount_id` */
  readonly path: string;
  readonly near: string;
}

// To compare a name takes as long as to check an ordinary record.
const MOST_COMPARED = 500;
const LONGEST = 64;

/** What a record, or an item of one of its lists, may have. */
interface Known {
  schema: TObject;
  names: ReadonlySet<string>;
}

const knownBy = (schema: TObject): Known => ({ schema, names: new Set(Object.keys(schema.properties)) });

const LISTS = new Map<RecordType, readonly (readonly [list: string, items: Known])[]>(
  COMMANDS.map(({ recordType, schema }) => [
    recordType,
    Object.entries(schema.properties).flatMap(([list, { items }]) =>
      items ? [[list, knownBy(items as TObject)] as const] : [],
    ),
  ]),
);
const RECORDS = new Map(COMMANDS.map(({ recordType, schema }) => [recordType, knownBy(schema)]));

/**
 * Finds the misspelt fields of many records. It compares the first 500 names that no schema knows, each once, so that a
 * body full of them costs no more than an ordinary one.
 */
export class MisspeltFields {
  private readonly nearest = new Map<TObject, Map<string, string | undefined>>();
  private compared = 0;

  /** Those of a pushed or a stored record; of the items of a list only those of the first that has any. */
  in(type: RecordType, record: Fields): MisspeltField[] {
    const found = this.inObject(RECORDS.get(type)!, record);
    for (const [list, known] of LISTS.get(type)!) {
      const items = record[list];
      if (Array.isArray(items)) found.push(...this.inItems(known, items as Fields[], list));
    }
    return found;
  }

  private inItems(known: Known, items: readonly Fields[], list: string): MisspeltField[] {
    for (let at = 0; at < items.length; at++) {
      const found = this.inObject(known, items[at]!);
      if (found.length > 0) return found.map(({ path, near }) => ({ path: `${list}[${at}].${path}`, near }));
    }
    return [];
  }

  private inObject({ schema, names }: Known, object: Fields): MisspeltField[] {
    const found: MisspeltField[] = [];
    for (const name in object) {
      if (names.has(name)) continue;
      const near = this.nearestTo(schema, name);
      if (near !== undefined && lacks(object, near)) found.push({ path: name, near });
    }
    return found;
  }

  private nearestTo(schema: TObject, name: string): string | undefined {
    const known = this.nearest.get(schema) ?? new Map<string, string | undefined>();
    this.nearest.set(schema, known);
    if (known.has(name) || name.length > LONGEST || this.compared === MOST_COMPARED) return known.get(name);
    this.compared++;
    // A record may have fields of the ERP's own, so fewer letters may differ than in a mapping.
    const { near } = meantField(schema, name, plainName(name).length / 4);
    known.set(name, near);
    return near;
  }
}

/** A stored record has `account` where `account_id` was pushed. */
const lacks = (object: Fields, field: string) =>
  object[field] == null && object[REFERENCES.get(field) ?? field] == null;
