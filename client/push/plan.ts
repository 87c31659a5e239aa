import type { TObject } from '@sinclair/typebox';
import { COMMANDS, type RecordType } from '../../domain/records/commands';
import { meantField, sayMeant } from '../../domain/records/meant-field';
import { clashOf, type Condition, conditionOf, shapeOf, wrong } from './condition';
import { type FieldKind, knownField } from './field-kind';
import { flawsOfSource, type Mapping, type Source } from './mapping-schema';
import { dateForm, FORM_PARTS, isTimeZone } from './read-dates';
import type { Habits } from './read-value';

/** The source of a value, ready for use on many rows. */
export interface SourcePlan {
  columns: readonly string[];
  /** The columns, and the constants between them. */
  parts: readonly (string | { value: string })[];
  join: string;
  /** Its one group is the part of the cell that counts. */
  pattern?: RegExp | undefined;
  value?: string | number | boolean | undefined;
  values?: ReadonlyMap<string, unknown> | undefined;
  /** Codes that are not in `values` stay unchanged. */
  keeps: boolean;
  missing: ReadonlySet<string>;
  where?: Condition | undefined;
  /** Of gathered rows, the one that the value is read from. */
  anyRow?: Condition | undefined;
  habits: Habits;
}

export interface FieldPlan {
  name: string;
  /** The path as messages show it: `splits.account_id`. */
  path: string;
  kind: FieldKind;
  /** The sources in order; the first one with a value counts. */
  sources: readonly SourcePlan[];
}

/** An entry that makes items of a list: a single item, one per row, or one per item of a list in JSON. */
export interface EntryPlan {
  each: 'once' | 'row' | { path: string };
  where?: Condition | undefined;
  /** The column that numbers the items, where rows repeat them. */
  onceBy?: string | undefined;
  /** An item is there when the first one has a value. */
  fields: readonly FieldPlan[];
  /** Those that must not have a value where no item is there, as it would be lost. */
  kept: readonly FieldPlan[];
}

export interface ListPlan {
  name: string;
  byRows: boolean;
  entries: readonly EntryPlan[];
}

/** A mapping, checked and ready for use. */
export interface MappingPlan {
  /** The plan of a record. Unset when the objects of a JSON file are records already. */
  record?: { fields: readonly FieldPlan[]; lists: readonly ListPlan[] };
  rows?: Condition | undefined;
  deleted?: Condition | undefined;
  /** Set when rows with the same id make one record. `own` selects the rows with the record's own fields. */
  gather?: { own?: Condition | undefined } | undefined;
  asksAnyRow?: boolean;
  /** Whether a comma may be the decimal sign, of numbers of which the mapping says nothing: in a file of semicolons. */
  commas: { areUnsure: boolean };
  /** The columns that a file must have, those of items of JSON lists, these lists, and those that a file may lack. */
  columns: readonly string[];
  inItems: readonly string[];
  lists: readonly string[];
  optional: ReadonlySet<string>;
}

export const commandOf = (type: RecordType) => COMMANDS.find(({ recordType }) => recordType === type)!;

// Without a record to make, these would change nothing, and what they were said for would be stored.
const READ_FOR_RECORD = ['gather', 'fill_down', 'missing_values'] as const;

/** Checks a mapping and makes it ready for use. @throws WrongMapping naming the member */
export function planOf(mapping: Mapping): MappingPlan {
  const { gather, fill_down = [], optional_columns = [] } = mapping;
  checkHabits(mapping, '');
  if (mapping.dialect?.format === 'fixed' && !mapping.dialect.columns)
    wrong('dialect.columns', 'is missing, which a fixed file needs');
  for (const [name, [from, to]] of Object.entries(mapping.dialect?.columns ?? {}))
    if (from > to) wrong(`dialect.columns.${name}`, 'ends before it begins');
  const condition = (said: unknown, path: string) => conditionOf(said, path, (name) => name);
  const [rows, deleted] = [condition(mapping.rows, 'rows'), condition(mapping.deleted, 'deleted')];
  const own = typeof gather === 'object' ? condition(gather.own, 'gather.own') : undefined;
  const commas = { areUnsure: mapping.dialect?.delimiter === ';' };
  const optional = new Set(optional_columns);
  const plan = { rows, deleted, gather: gather ? { own } : undefined, commas, optional };
  if (mapping.record === undefined) {
    for (const name of READ_FOR_RECORD)
      if (mapping[name] !== undefined)
        wrong(name, 'needs "record": without it, records are sent as they are in the file');
    return { ...plan, columns: [], inItems: [], lists: [] };
  }
  const record = recordOf(mapping, mapping.record, commas);
  if (!mapping.record['id']) wrong('record.id', 'is missing');
  checkMet({ ...plan, record });
  const conditions = [rows, deleted, own].flatMap((each) => each?.columns ?? []);
  const entries = record.lists.flatMap((list) => list.entries);
  const ofRows = entries.filter(({ each }) => typeof each === 'string');
  const columns = new Set([
    ...fill_down,
    ...conditions,
    ...columnsOf(record.fields),
    ...ofRows.flatMap(columnsOfEntry),
  ]);
  const inItems = entries.filter((entry) => !ofRows.includes(entry)).flatMap(columnsOfEntry);
  const lists = entries.flatMap(({ each }) => (typeof each === 'object' ? each.path : []));
  const asksAnyRow = record.fields.some(({ sources }) => sources.some(({ anyRow }) => anyRow));
  return { ...plan, record, asksAnyRow, columns: [...columns], inItems, lists };
}

/** Refuses a condition that no row can meet, as another one leaves all such rows out. */
function checkMet({
  rows,
  deleted,
  gather,
  record,
}: Omit<MappingPlan, 'columns' | 'inItems' | 'lists' | 'optional' | 'commas'>): void {
  const never = (condition: Condition | undefined, ...others: (Condition | undefined)[]) => {
    for (const other of others) {
      const column = condition && other && clashOf(condition, other);
      if (column)
        wrong(
          condition.path,
          `can never be met, as "${other.path}" asks otherwise of ${JSON.stringify(column)}; "any_row" asks all rows of an id`,
        );
    }
  };
  const ofFields = (fields: readonly FieldPlan[], ...others: (Condition | undefined)[]) => {
    for (const { where, anyRow } of fields.flatMap(({ sources }) => sources))
      never(anyRow ?? where, ...(anyRow ? [rows] : others));
  };
  never(gather?.own, rows);
  never(deleted, rows, gather?.own);
  ofFields(record!.fields, rows, gather?.own);
  for (const { each, where, fields } of record!.lists.flatMap(({ entries }) => entries)) {
    if (typeof each === 'object') continue; // of an item, whose members may be called as the record's
    const others = each === 'row' ? [rows] : [rows, gather?.own];
    never(where, ...others);
    ofFields(fields, where, ...others);
  }
}

/** The columns that fields are read from, those of their conditions as well. */
export const columnsOf = (fields: readonly FieldPlan[]) =>
  fields.flatMap(({ sources }) =>
    sources.flatMap(({ columns, where, anyRow }) => [
      ...columns,
      ...(where?.columns ?? []),
      ...(anyRow?.columns ?? []),
    ]),
  );

/** The columns that the items of a list are read from. */
export const columnsOfEntry = ({ where, onceBy, fields }: EntryPlan) => [
  ...(where?.columns ?? []),
  ...(onceBy === undefined ? [] : [onceBy]),
  ...columnsOf(fields),
];

function checkHabits(
  { dates, time_zone, numbers }: Pick<Mapping, 'dates' | 'time_zone' | 'numbers'>,
  path: string,
): void {
  for (const form of dates ?? [])
    if (!dateForm(form))
      wrong(
        `${path}dates`,
        `has ${JSON.stringify(form)}, which is not a form: its parts are ${FORM_PARTS}, in these letters`,
      );
  if (time_zone !== undefined && !isTimeZone(time_zone))
    wrong(`${path}time_zone`, `${time_zone} is not a time zone such as America/Chicago`);
  const { decimal_char, group_char } = signsOf(numbers);
  if (decimal_char === group_char) wrong(`${path}numbers`, 'has the same sign for both');
}

const signsOf = (numbers: Mapping['numbers']) => {
  const { decimal_char = '.', group_char = decimal_char === ',' ? '.' : ',', sign } = numbers ?? {};
  return { decimal_char, group_char, isPunched: sign === 'punched' };
};

/** A place in the mapping for messages: the mapping, the path in it, and the column's name there. */
interface Place {
  mapping: Mapping;
  commas: MappingPlan['commas'];
  path: string;
  rename: (column: string) => string;
}

function recordOf(
  mapping: Mapping,
  said: Record<string, unknown>,
  commas: MappingPlan['commas'],
): NonNullable<MappingPlan['record']> {
  const { schema } = commandOf(mapping.type);
  const own = new Set(mapping.own_fields);
  const [fields, lists]: [FieldPlan[], ListPlan[]] = [[], []];
  for (const [name, from] of Object.entries(said)) {
    const known = own.has(name)
      ? { kind: 'any' as const, items: undefined }
      : fieldOf(schema, name, `record.${name}`, '');
    const place = { mapping, commas, path: `record.${name}`, rename: (column: string) => column };
    if (known.items || isList(from)) lists.push(listOf(known.items, from, name, place));
    else fields.push({ name, path: name, kind: known.kind, sources: sourcesOf(from, place) });
  }
  return { fields, lists };
}

const isList = (from: unknown) => typeof from === 'object' && from !== null && Object.hasOwn(from, 'each');

function fieldOf(schema: TObject, name: string, path: string, list: string) {
  const known = knownField(schema, name);
  if (known) return known;
  return wrong(
    path,
    `${sayMeant(meantField(schema, name))}; name ${JSON.stringify(list + name)} in "own_fields" if it is one of your own`,
  );
}

function listOf(schema: TObject | undefined, said: unknown, name: string, place: Place): ListPlan {
  const many = Array.isArray(said) ? (said as unknown[]) : [said];
  const entries = many.flatMap((entry, index) =>
    entriesOf(schema, entry, name, many.length > 1 ? { ...place, path: `${place.path}[${index}]` } : place),
  );
  const rows = entries.filter(({ each }) => each === 'row').length;
  if (rows > 0 && rows < entries.length)
    wrong(place.path, 'is gathered by rows and stands side by side as well: only one of them can be');
  if (rows > 0 && !place.mapping.gather) wrong(place.path, 'has "each": "rows", which needs "gather": true');
  return { name, byRows: rows > 0, entries };
}

function entriesOf(schema: TObject | undefined, said: unknown, list: string, place: Place): EntryPlan[] {
  const { each, item, where, once_by, ...more } = isList(said)
    ? (said as Record<string, unknown>)
    : { each: undefined, item: said, where: undefined, once_by: undefined };
  const [extra] = Object.keys(more);
  if (extra !== undefined)
    wrong(`${place.path}.${extra}`, 'is not a member of a list: there are each, item, where, once_by');
  if (once_by !== undefined && (each !== 'rows' || typeof once_by !== 'string'))
    wrong(`${place.path}.once_by`, 'must be a column, beside "each": "rows"');
  const inside = each === undefined ? place : { ...place, path: `${place.path}.item` };
  const entry = (rename: Place['rename'], kind: EntryPlan['each']): EntryPlan => {
    const fields = itemOf(schema, item, list, { ...inside, rename });
    return {
      each: kind,
      where: conditionOf(where, `${place.path}.where`, rename),
      onceBy: once_by as string | undefined,
      fields,
      kept: keptOf(fields),
    };
  };
  if (each === undefined) return [entry(place.rename, 'once')];
  if (each === 'rows') return [entry(place.rename, 'row')];
  if (typeof each === 'string' && each.endsWith('[]'))
    return [entry(place.rename, { path: each.slice(0, -2) })];
  if (
    !Array.isArray(each) ||
    each.length === 0 ||
    each.some((one) => typeof one !== 'number' && typeof one !== 'string')
  )
    return wrong(
      `${place.path}.each`,
      'must be "rows", a list of numbers such as [1, 2, 3], or a list of a JSON record such as "owners[]"',
    );
  return each.map((one) => entry((column) => column.replaceAll('{}', String(one)), 'once'));
}

/** Figures and ids. By a condition of the first field the mapping says itself when an item is there. */
const keptOf = ([first, ...rest]: readonly FieldPlan[]) =>
  first!.sources.every(({ where }) => where)
    ? []
    : rest.filter(({ kind }) => kind === 'number' || kind === 'figure' || kind === 'id');

function itemOf(schema: TObject | undefined, said: unknown, list: string, place: Place): FieldPlan[] {
  const names = Object.keys(schema?.properties ?? {});
  // A list whose items have a single field may be given by a column alone.
  const item = typeof said === 'string' && names.length === 1 ? { [names[0]!]: said } : said;
  if (typeof item !== 'object' || item === null || Array.isArray(item) || Object.keys(item).length === 0)
    return wrong(place.path, 'must be an item: { field: source }');
  const own = new Set(place.mapping.own_fields);
  const fields = Object.entries(item).map(([name, from]): FieldPlan => {
    const path = `${place.path}.${name}`;
    const kind = !schema || own.has(`${list}.${name}`) ? 'any' : fieldOf(schema, name, path, `${list}.`).kind;
    return { name, path: `${list}.${name}`, kind, sources: sourcesOf(from, { ...place, path }) };
  });
  const [first] = fields;
  if (first?.sources.some(({ value, where }) => value !== undefined && !where))
    wrong(
      `${place.path}.${first.name}`,
      'stands first and always has a value, so that every item would be there: put first the field whose column is empty where there is no item',
    );
  return fields;
}

function sourcesOf(said: unknown, place: Place): SourcePlan[] {
  if (!Array.isArray(said)) return [sourceOf(said, place)];
  if (said.length === 0) wrong(place.path, 'must not be an empty list');
  const sources = said.map((each, index) => sourceOf(each, { ...place, path: `${place.path}[${index}]` }));
  if (sources.some(({ anyRow }, index) => anyRow && index > 0 && !sources[index - 1]!.anyRow))
    wrong(place.path, 'has an "any_row" behind a source of the row itself: put it first');
  return sources;
}

function sourceOf(said: unknown, { mapping, commas, path, rename }: Place): SourcePlan {
  const source = (typeof said === 'string' ? { from: said } : said) as Source;
  if (typeof source !== 'object' || source === null || Array.isArray(source))
    return wrong(path, 'must be a column, a source such as { "from": ... }, or a list of them');
  const [flaw] = flawsOfSource(source);
  if (flaw) wrong(`${path}.${flaw}`, '');
  if ((source.from === undefined) === (source.value === undefined))
    wrong(path, 'must have "from" or "value", and not both');
  checkHabits(source, `${path}.`);
  const { '*': others, ...codes } = source.values ?? {};
  if (others !== undefined && others !== 'keep') wrong(`${path}.values.*`, 'can only be "keep"');
  if ('' in codes)
    wrong(
      `${path}.values`,
      'has "", and a blank cell is no code: take a list of sources that ends in { "value": ... }',
    );
  if (
    source.any_row !== undefined &&
    (source.where !== undefined || !mapping.gather || /\.item|\]\./.test(path))
  )
    wrong(`${path}.any_row`, 'stands in place of "where", in a field of a record that is gathered');
  const parts = [source.from ?? []].flat().map((part) => (typeof part === 'string' ? rename(part) : part));
  const columns = parts.filter((part) => typeof part === 'string');
  if (source.from !== undefined && columns.length === 0) wrong(`${path}.from`, 'names no column');
  return {
    columns,
    parts,
    pattern: source.pattern === undefined ? undefined : patternOf(source.pattern, `${path}.pattern`),
    join: source.join ?? ' ',
    value: source.value,
    values: source.values && new Map(Object.entries(codes)),
    keeps: others === 'keep',
    missing: new Set(
      [...(mapping.missing_values ?? []), ...(source.missing_values ?? [])].map((each) => each.trim()),
    ),
    where: conditionOf(source.where, `${path}.where`, rename),
    anyRow: conditionOf(source.any_row, `${path}.any_row`, rename),
    habits: {
      dates: source.dates ?? mapping.dates ?? [],
      time_zone: source.time_zone ?? mapping.time_zone,
      numbers: signsOf(source.numbers ?? mapping.numbers),
      commas: (source.numbers ?? mapping.numbers) ? undefined : commas,
      area_code: mapping.phones?.area_code,
      multiply: source.multiply,
    },
  };
}

/** A pattern over the whole cell, of which one group counts. */
function patternOf(pattern: string, path: string): RegExp {
  const shape = shapeOf(pattern);
  if (shape && new RegExp(`${pattern}|`, 'u').exec('')?.length === 2) return shape;
  return wrong(path, 'must be a regular expression with one group, such as "(\\\\d+) - .*"');
}
