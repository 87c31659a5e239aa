import { isDateKind } from './field-kind';
import type { Findings, Tally } from './findings';
import type { Mapping } from './mapping-schema';
import {
  columnsOf,
  columnsOfEntry,
  type EntryPlan,
  type FieldPlan,
  type ListPlan,
  type MappingPlan,
  type SourcePlan,
} from './plan';
import { joinedDate } from './read-dates';
import { isSpoilt, readValue, Unreadable } from './read-value';
import { noteShort } from './read-table';
import { type FileCell, type Row, textIn } from './row';

type Item = Record<string, unknown>;

/** The part of a record that one row has. */
export interface Fragment {
  line: number;
  id: string | undefined;
  /** Unset when the row does not have the record's own fields. */
  own?: Item;
  /** The items of lists that are gathered by rows, and the number of each where the mapping says "once_by". */
  lists: Record<string, Item[]>;
  once?: Record<string, string[]>;
  /** Values of "any_row": the first source in the mapping counts, of which all rows must agree. */
  any?: Record<string, readonly [source: number, value: unknown]>;
  /** A phone was left out with a remark: the record has no list of phones rather than an empty one. */
  keepsPhones?: true;
  /** The cells of the row, where they are to be shown. */
  cells?: Record<string, string>;
  /** No condition of the mapping asks for the row. */
  isIdle?: true;
}

/** Fields that were read of a row, or of an item of a list in JSON. */
interface Reader {
  row: Row;
  fields: readonly FieldPlan[];
}

/** A value of an item that is not made, as its first field has none. */
interface Lost {
  row: Row;
  first: FieldPlan;
  field: FieldPlan;
  column: string;
  text: string;
}

/** Several values in one cell. Each makes an item of a list. */
class Several {
  constructor(readonly values: readonly unknown[]) {}
}

/** Makes records of rows, and notes what is wrong with them. */
export class RecordMapper {
  private readonly tallies = new Map<SourcePlan, Tally>();
  /** Of one row: what items were made of, and what would be lost. */
  private made: Reader[] = [];
  private lost: Lost[] = [];

  constructor(
    private readonly mapping: Mapping,
    private readonly plan: MappingPlan & { record: object },
    private readonly findings: Findings,
  ) {}

  map(row: Row): Fragment {
    const { record, gather, deleted } = this.plan;
    const { fields, lists } = record!;
    const isOwn = !gather?.own || gather.own(row);
    const own: Item = {};
    const passed = this.findings.passed;
    this.made = [];
    this.lost = [];
    for (const field of fields) {
      if (!isOwn && field.name !== 'id') continue;
      const value = this.readField(field, row);
      if (value !== undefined) own[field.name] = value;
    }
    const fragment: Fragment = { line: row.line, id: own['id'] as string | undefined, lists: {} };
    if (this.plan.asksAnyRow) this.readAnyRow(fragment, row);
    for (const list of lists) {
      if (!list.byRows && !isOwn) continue;
      const items = this.readList(list, row);
      if (items.length > 0 || (this.staysEmpty(list) && hasColumnOf(list, row)))
        (list.byRows ? fragment.lists : own)[list.name] = items;
      if (this.staysEmpty(list) && passed < this.findings.passed) fragment.keepsPhones = true;
      if (list.byRows && items.length > 0) this.readOnce(list, fragment, row);
    }
    if (this.lost.length > 0)
      this.noteLost({ row, fields: fields.filter(({ name }) => own[name] !== undefined) });
    if (isOwn && deleted?.(row) && own['deleted_at'] === undefined) own['deleted'] = true;
    if (isOwn) return { ...fragment, own };
    const isAsked = ({ byRows, entries }: ListPlan) =>
      byRows && entries.some(({ where }) => !where || where(row));
    if (!fragment.any && !lists.some(isAsked)) fragment.isIdle = true;
    return fragment;
  }

  private readAnyRow(fragment: Fragment, row: Row): void {
    for (const field of this.plan.record!.fields)
      for (const [index, source] of field.sources.entries()) {
        if (!source.anyRow?.(row)) continue;
        const value = this.readSource(source, field, row);
        if (value !== undefined) (fragment.any ??= {})[field.name] ??= [index, value];
      }
  }

  private readOnce({ name, entries }: ListPlan, fragment: Fragment, row: Row): void {
    const [entry] = entries.filter(({ where, onceBy }) => onceBy !== undefined && (!where || where(row)));
    if (!entry) return;
    const number = textIn(row.cell(entry.onceBy!));
    if (number === '') {
      const problem = `\`${entry.onceBy}\` is blank in a row that makes an item`;
      const advice = 'name another column by "once_by", or correct the file';
      this.findings.add('no number', { problem, advice }, { line: row.line });
    }
    (fragment.once ??= {})[name] = fragment.lists[name]!.map(() => number);
  }

  /** The record of a row, or of rows that were gathered. */
  recordOf({ own, lists, keepsPhones }: Pick<Fragment, 'own' | 'lists' | 'keepsPhones'>): Item {
    const record = { ...own };
    for (const list of this.plan.record!.lists) {
      const items = lists[list.name];
      if (items && (items.length > 0 || this.staysEmpty(list))) record[list.name] = items;
    }
    const { phones, ...others } = record;
    return keepsPhones && Array.isArray(phones) && phones.length === 0 ? others : record;
  }

  /**
   * The service keeps the phones of an account without `phones`. An empty list is sent instead, so that a deleted
   * number goes; but not where the file has no column of phones at all.
   */
  private staysEmpty = ({ name }: ListPlan) => name === 'phones' && this.mapping.type === 'accounts';

  private readList({ entries }: ListPlan, row: Row): Item[] {
    return entries.flatMap((entry) => {
      const { each, where } = entry;
      const rows = typeof each === 'object' ? this.itemsOf(each.path, row) : [row];
      return rows.filter((one) => !where || where(one)).flatMap((one) => this.readItems(entry, one));
    });
  }

  private itemsOf(path: string, row: Row): readonly Row[] {
    return row.items?.(path) ?? [];
  }

  private readItems({ fields, kept }: EntryPlan, row: Row): Item[] {
    const [first, ...rest] = fields;
    const { count, passed } = this.findings;
    const head = this.readField(first!, row);
    if (head === undefined) {
      const isSaid = count < this.findings.count || passed < this.findings.passed;
      for (const field of isSaid ? [] : kept) this.findLost(first!, field, row);
      return [];
    }
    this.made.push({ row, fields });
    const others = rest
      .map((field) => [field.name, this.readField(field, row)] as const)
      .filter(([, value]) => value !== undefined);
    return (head instanceof Several ? head.values : [head]).map((value) => ({
      [first!.name]: value,
      ...Object.fromEntries(others),
    }));
  }

  private findLost(first: FieldPlan, field: FieldPlan, row: Row): void {
    for (const source of field.sources) {
      const [column] = source.columns;
      if (column === undefined || (source.where && !source.where(row))) continue;
      const { text } = foundIn(source, field.kind, row) ?? { text: '' };
      if (!NO_AMOUNT.test(text) && source.values?.get(text) !== null)
        this.lost.push({ row, first, field, column, text });
    }
  }

  /** Refuses a figure of an item that is not made, and remarks an id, unless something else of the row has its column. */
  private noteLost(own: Reader): void {
    for (const { row, first, field, column, text } of this.lost) {
      const isOf = (other: Row) => other === row || (row.value !== undefined && other.value === row.value);
      const others = [own, ...this.made].filter((reader) => isOf(reader.row));
      if (others.some(({ fields }) => columnsOf(fields).includes(column))) continue;
      const problem = `\`${column}\` has a value for ${field.path} where ${first.path}, by which its item is there, has none`;
      const advice =
        'put first a field that has a value whenever the item is there, or say when it is by a "where" of the first';
      const place = { line: row.line, column: row.numberOf?.(column) };
      const isPassed = field.kind === 'id';
      this.findings.add(`lost ${field.path}`, { problem, advice, isPassed }, place, text);
    }
  }

  private readField(field: FieldPlan, row: Row): unknown {
    for (const source of field.sources) {
      if (source.anyRow) continue; // of all rows of an id
      const value = this.readSource(source, field, row);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  private readSource(source: SourcePlan, { kind, path }: FieldPlan, row: Row): unknown {
    const { columns, pattern, where, value, values, habits, keeps } = source;
    if (where && !where(row)) return undefined;
    if (value !== undefined) return value;
    if (row.lacks && columns.some(row.lacks)) noteShort(this.findings, row);
    let found = foundIn(source, kind, row);
    if (!found) return undefined;
    const tally = this.tallyOf(source, path);
    tally.values++;
    const fitting = pattern?.exec(found.text);
    if (fitting) found = { text: fitting[1] ?? '', cell: fitting[1] };
    if (found.text === '') return undefined;
    if (values?.has(found.text)) return values.get(found.text) ?? undefined;
    const read =
      fitting === null
        ? NOT_FITTING
        : values && !keeps
          ? unknownCode(path)
          : readValue(kind, found.text, found.cell, habits);
    if (read === 'nothing') return undefined;
    if (read instanceof Unreadable) {
      const place = { line: row.line, column: row.numberOf?.(columns[0]!) };
      this.findings.add(`${tally.name} ${read.problem[0]}`, read, place, found.text, tally);
      return undefined;
    }
    if ('values' in read) return new Several(read.values);
    if (read.fitsAnother) tally.fitTwo++;
    return read.value;
  }

  private tallyOf(source: SourcePlan, path: string): Tally {
    const tally = this.tallies.get(source) ?? this.findings.tally(source.columns.join(' + '), path);
    this.tallies.set(source, tally);
    return tally;
  }
}

/** Of a table, whether its heading has one of the list's columns. */
const hasColumnOf = ({ entries }: ListPlan, row: Row): boolean =>
  !row.numberOf || entries.flatMap(columnsOfEntry).some((column) => row.numberOf!(column) !== undefined);

const unknownCode = (path: string) =>
  new Unreadable(
    ['is a code that "values" does not have', 'are codes that "values" does not have'],
    `give each its meaning in "values" of ${path}, or say "*": "keep"`,
  );

const NOT_FITTING = new Unreadable(
  ['does not fit the "pattern"', 'do not fit the "pattern"'],
  'say all forms of the column, or name by "missing_values" what is no value',
);

interface Found {
  text: string;
  cell: FileCell;
}

/** What stands for no deduction or share. */
const NO_AMOUNT = /^[\s0.,%$+{}-]*$/;

function foundIn(source: SourcePlan, kind: FieldPlan['kind'], row: Row): Found | undefined {
  const [column, ...more] = source.parts;
  return more.length === 0 && typeof column === 'string'
    ? one(source, row, column, isDateKind(kind))
    : joined(source, kind, row);
}

function one({ missing }: SourcePlan, row: Row, column: string, asDate: boolean): Found | undefined {
  const cell = row.cell(column);
  const text = textIn(cell);
  if (text === '' || missing.has(text)) return undefined;
  return { text, cell: asDate && typeof cell === 'number' && row.serial ? row.serial(cell) : cell };
}

/** Joins the parts that have a value. An identifier needs all parts, as half of one is another identifier. */
function joined(source: SourcePlan, kind: FieldPlan['kind'], row: Row): Found | undefined {
  const all = source.parts.map((part) =>
    typeof part === 'string'
      ? one(source, row, part, isDateKind(kind))
      : { text: part.value, cell: part.value },
  );
  const parts = all.filter((part) => part !== undefined);
  const ofCells = parts.length - (source.parts.length - source.columns.length);
  if (ofCells === 0 || (kind === 'id' && parts.length < all.length)) return undefined;
  if (parts.length === 1) return parts[0];
  const spoilt = parts.find(({ text, cell }) => isSpoilt(kind, text, cell));
  if (spoilt) return spoilt; // it is refused by itself
  const text = parts.map((part) => part.text).join(source.join);
  const cells = parts.map(({ cell, text: said }) => (typeof cell === 'string' ? said : cell));
  return { text, cell: isDateKind(kind) ? joinedDate(cells, source.habits.dates, source.join) : text };
}
