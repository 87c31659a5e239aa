import type { TObject, TSchema } from '@sinclair/typebox';
import { COMMANDS, type RecordType } from './commands';
import type { RecordWarning } from './record-warning';

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a record type, or of the items in one of its lists, that have known values. */
interface Choices {
  readonly list?: string;
  readonly fields: readonly { readonly name: string; readonly known: readonly unknown[] }[];
}

const CHOICES = new Map<RecordType, readonly Choices[]>(
  COMMANDS.map(({ recordType, schema }) => [recordType, choicesOf(schema)]),
);

/** Warns of unknown values in fields with known values. Such values are stored and fed unchanged. */
export function unknownValues(type: RecordType, record: Fields): RecordWarning[] {
  return CHOICES.get(type)!.flatMap(({ list, fields }) => {
    const items = list === undefined ? [record] : record[list];
    if (!Array.isArray(items)) return [];
    return fields.flatMap(({ name, known }) => {
      // Only the first of a list counts. A body may have a million, and one shows the ERP's word for it.
      const at = items.findIndex(
        (item: Fields) => typeof item[name] === 'string' && !known.includes(item[name]),
      );
      if (at < 0) return [];
      const field = `${list === undefined ? '' : `${list}[${at}].`}${name}`;
      return { field, message: `is none of ${known.join(', ')}` };
    });
  });
}

function choicesOf(schema: TObject): Choices[] {
  const lists = Object.entries(schema.properties).flatMap(([list, { items }]) =>
    items ? [{ list, fields: fieldsOf(items as TObject) }] : [],
  );
  return [{ fields: fieldsOf(schema) }, ...lists].filter(({ fields }) => fields.length > 0);
}

function fieldsOf(schema: TObject): Choices['fields'] {
  const fields = Object.entries<TSchema>(schema.properties);
  return fields.flatMap(([name, { examples }]) =>
    Array.isArray(examples) ? [{ name, known: examples }] : [],
  );
}
