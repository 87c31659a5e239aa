import type { Findings, Tally } from './findings';
import type { Mapping } from './mapping-schema';
import { columnsOfEntry, type FieldPlan, type ListPlan, type MappingPlan, type SourcePlan } from './plan';
import { joinedDate } from './read-dates';
import { isShortened, readValue, Unreadable } from './read-value';
import { type FileCell, type Row, textIn } from './row';

type Item = Record<string, unknown>;

/** The part of a record that one row has. */
export interface Fragment {
  line: number;
  id: string | undefined;
  /** Unset when the row does not have the record's own fields. */
  own?: Item;
  /** The items of lists that are gathered by rows. */
  lists: Record<string, Item[]>;
}

/** Several values in one cell. Each makes an item of a list. */
class Several {
  constructor(readonly values: readonly unknown[]) {}
}

/** Makes records of rows, and notes what is wrong with them. */
export class RecordMapper {
  private readonly tallies = new Map<SourcePlan, Tally>();

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
    for (const field of fields) {
      if (!isOwn && field.name !== 'id') continue;
      const value = this.readField(field, row);
      if (value !== undefined) own[field.name] = value;
    }
    const fragment: Fragment = { line: row.line, id: own['id'] as string | undefined, lists: {} };
    for (const list of lists) {
      if (!list.byRows && !isOwn) continue;
      const items = this.readList(list, row);
      if (list.byRows) fragment.lists[list.name] = items;
      else if (items.length > 0 || (this.staysEmpty(list) && hasColumnOf(list, row))) own[list.name] = items;
    }
    if (isOwn && deleted?.(row) && own['deleted_at'] === undefined) own['deleted'] = true;
    return isOwn ? { ...fragment, own } : fragment;
  }

  /** The record of a row, or of rows that were gathered. */
  recordOf({ own, lists }: Pick<Fragment, 'own' | 'lists'>): Item {
    const record = { ...own };
    for (const list of this.plan.record!.lists) {
      const items = lists[list.name];
      if (items && (items.length > 0 || this.staysEmpty(list))) record[list.name] = items;
    }
    return record;
  }

  /**
   * The service keeps the phones of an account without `phones`. An empty list is sent instead, so that a deleted
   * number goes; but not where the file has no column of phones at all.
   */
  private staysEmpty = ({ name }: ListPlan) => name === 'phones' && this.mapping.type === 'accounts';

  private readList({ entries }: ListPlan, row: Row): Item[] {
    return entries.flatMap(({ each, where, fields }) => {
      const rows = typeof each === 'object' ? this.itemsOf(each.path, row) : [row];
      return rows.filter((one) => !where || where(one)).flatMap((one) => this.readItems(fields, one));
    });
  }

  private itemsOf(path: string, row: Row): readonly Row[] {
    const found = row.items?.(path);
    if (found) return found;
    const cell = row.cell(path);
    if (cell !== undefined && cell !== null)
      this.findings.add(`${path}[]`, [`\`${path}\` is not a list`], 'correct "each"', { line: row.line });
    return [];
  }

  private readItems([first, ...rest]: readonly FieldPlan[], row: Row): Item[] {
    const head = this.readField(first!, row);
    if (head === undefined) return [];
    const others = rest
      .map((field) => [field.name, this.readField(field, row)] as const)
      .filter(([, value]) => value !== undefined);
    return (head instanceof Several ? head.values : [head]).map((value) => ({
      [first!.name]: value,
      ...Object.fromEntries(others),
    }));
  }

  private readField(field: FieldPlan, row: Row): unknown {
    for (const source of field.sources) {
      const value = this.readSource(source, field, row);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  private readSource(source: SourcePlan, { kind, path }: FieldPlan, row: Row): unknown {
    const { columns, where, value, values, habits, keeps } = source;
    if (where && !where(row)) return undefined;
    if (value !== undefined) return value;
    const found =
      columns.length === 1 ? one(source, row, columns[0]!, isDate(kind)) : joined(source, kind, row);
    if (!found) return undefined;
    const tally = this.tallyOf(source, path);
    tally.values++;
    if (values?.has(found.text)) return values.get(found.text) ?? undefined;
    const read = values && !keeps ? unknownCode(path) : readValue(kind, found.text, found.cell, habits);
    if (read === 'nothing') return undefined;
    if (read instanceof Unreadable) {
      const { problem, advice } = read;
      const place = { line: row.line, column: row.numberOf?.(columns[0]!) };
      this.findings.add(`${tally.name} ${problem[0]}`, problem, advice, place, found.text, tally);
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

interface Found {
  text: string;
  cell: FileCell;
}

const isDate = (kind: FieldPlan['kind']) => kind === 'instant' || kind === 'day';

function one({ missing }: SourcePlan, row: Row, column: string, asDate: boolean): Found | undefined {
  const cell = row.cell(column);
  const text = textIn(cell);
  if (text === '' || missing.has(text)) return undefined;
  return { text, cell: asDate && typeof cell === 'number' && row.serial ? row.serial(cell) : cell };
}

/** Joins the parts that have a value. An identifier needs all parts, as half of one is another identifier. */
function joined(source: SourcePlan, kind: FieldPlan['kind'], row: Row): Found | undefined {
  const all = source.columns.map((column) => one(source, row, column, isDate(kind)));
  const parts = all.filter((part) => part !== undefined);
  if (parts.length === 0 || (kind === 'id' && parts.length < all.length)) return undefined;
  if (parts.length === 1) return parts[0];
  const shortened = kind === 'id' && parts.find((part) => isShortened(part.text));
  if (shortened) return shortened; // it is refused by itself
  const text = parts.map((part) => part.text).join(source.join);
  const cells = parts.map(({ cell, text: said }) => (typeof cell === 'string' ? said : cell));
  return { text, cell: isDate(kind) ? joinedDate(cells, source.habits.dates, source.join) : text };
}
