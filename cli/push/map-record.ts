import type { TObject, TSchema } from '@sinclair/typebox';
import { trimmed } from '../../domain/pasted-text';
import { converter } from './convert';
import { commandOf, type Mapping } from './mapping';

/** A field of a record, or of an item of one of its lists. */
interface Target {
  list?: string;
  index: number;
  name: string;
}

export interface MappedColumn extends Target {
  column: string;
  /** As in the mapping: `splits[0].account_id`. */
  field: string;
  convert: (value: unknown) => unknown;
}

/** A mapping, ready for use on many records. */
interface RecordMapper {
  columns: MappedColumn[];
  /** @param values in the order of `columns`; undefined: not there */
  map(values: readonly unknown[]): Record<string, unknown>;
  /** Adds what every record gets. */
  complete(record: Record<string, unknown>): Record<string, unknown>;
}

export function recordMapper(mapping: Mapping): RecordMapper {
  const { schema } = commandOf(mapping.type);
  const columns = Object.entries(mapping.columns ?? {}).flatMap(([column, to]): MappedColumn[] => {
    if (to === null) return [];
    const { field, values } = typeof to === 'string' ? { field: to, values: undefined } : to;
    const target = targetOf(field);
    const convert = converter(schemaOf(schema, target), mapping);
    return [{ column, field, ...target, convert: (value) => readCell(value, values, convert) }];
  });
  const constants = Object.entries(mapping.set ?? {}).map(([field, value]) => ({
    ...targetOf(field),
    value,
  }));
  const complete = (record: Record<string, unknown>) => {
    for (const { value, ...target } of constants) if (target.list === undefined) put(record, target, value);
    return record;
  };
  return {
    columns,
    complete,
    map(values) {
      const record: Record<string, unknown> = {};
      for (const [index, target] of columns.entries()) {
        const value = target.convert(values[index]);
        if (value !== undefined) put(record, target, value);
      }
      for (const { value, ...target } of constants) if (isBegun(record, target)) put(record, target, value);
      return complete(withoutHoles(record));
    },
  };
}

/** An empty cell is not a value. What is not text, as in JSON, stays as it is. */
function readCell(
  value: unknown,
  values: Record<string, string> | undefined,
  convert: (text: string) => unknown,
): unknown {
  if (typeof value !== 'string') return value;
  const text = trimmed(value);
  if (text === '') return undefined;
  return values && Object.hasOwn(values, text) ? values[text] : convert(text);
}

function targetOf(field: string): Target {
  const [, list, index, name] = /^(.+)\[(\d+)\]\.(.+)$/.exec(field) ?? [];
  return list === undefined ? { index: 0, name: field } : { list, index: Number(index), name: name! };
}

function schemaOf({ properties }: TObject, { list, name }: Target): TSchema | undefined {
  if (list === undefined) return own(properties, name);
  const items = own(properties, list)?.['items'] as TObject | undefined;
  return items && own(items.properties, name);
}

const own = (properties: Record<string, TSchema>, name: string): TSchema | undefined =>
  Object.hasOwn(properties, name) ? properties[name] : undefined;

function put(record: Record<string, unknown>, { list, index, name }: Target, value: unknown): void {
  if (list === undefined) return void (record[name] = value);
  if (!Object.hasOwn(record, list)) record[list] = []; // `constructor` is inherited
  const items = record[list];
  if (!Array.isArray(items)) return; // the schema says that it must be a list, or hold objects
  const item: unknown = (items[index] ??= {});
  if (typeof item === 'object') (item as Record<string, unknown>)[name] = value;
}

/** Whether a column has given a value to the same item. */
const isBegun = (record: Record<string, unknown>, { list, index }: Target) =>
  list !== undefined && (record[list] as unknown[] | undefined)?.[index] !== undefined;

/** A row that fills the second split alone has one split. */
function withoutHoles(record: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(record)) {
    if (Array.isArray(value)) record[name] = value.filter((item) => item !== undefined);
  }
  return record;
}
