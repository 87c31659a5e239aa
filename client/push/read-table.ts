import type { Findings } from './findings';
import { type TableHeading, headingIn, nameOf, noHeading } from './find-heading';
import type { Mapping } from './mapping-schema';
import type { MappingPlan } from './plan';
import type { TableRow } from './read-rows';
import type { Reading } from './reading';
import { FileProblem } from '../file-problem';
import { type FileCell, type Row, textIn } from './row';

/** Reads the rows of a table below its heading, by column name. Rows that are not records are left out and counted. */
export async function* readTable(
  rows: AsyncIterable<TableRow>,
  mapping: Mapping,
  plan: MappingPlan,
  seen: Reading,
): AsyncGenerator<Row> {
  if (!plan.record) throw new FileProblem({ line: 1 }, 'the mapping has no "record", which a table needs');
  const { dialect = {}, fill_down } = mapping;
  let heading = fixedHeading(mapping, plan);
  const joined: (readonly FileCell[])[] = [];
  let best: TableHeading | undefined;
  const fill = filler(fill_down ?? []);
  let width = 0;
  const headingRows = dialect.header_rows ?? [];
  const lastOfHeading = Math.max(...headingRows);
  for await (const { line, cells, serial, isCut = false, lacks } of rows) {
    width = Math.max(width, cells.length);
    const isBlank = cells.every((cell) => textIn(cell) === '');
    if (!heading && headingRows.length > 0) {
      if (headingRows.includes(line)) joined.push(cells);
      else if (line < lastOfHeading && !isBlank) seen.leaveOut('above the heading', line);
      if (line >= lastOfHeading) heading = required(headingIn(lastOfHeading, joinNames(joined), plan));
      if (line <= lastOfHeading) continue; // a blank row of a workbook does not come
    }
    if (isBlank) continue;
    if (!heading) {
      const found = headingIn(line, cells, plan);
      if (!best || found.missing.length < best.missing.length) best = found;
      if (found.missing.length === 0) heading = found;
      else seen.leaveOut('above the heading', line);
      continue;
    }
    if (isAgain(heading, cells)) {
      seen.leaveOut('the heading again', line);
      continue;
    }
    const row = fill(new CellsRow(line, cells, heading.places, serial, isCut));
    const mayLack = isCut ? 0 : (dialect.short_rows ?? 0);
    const isBare = dialect.header === false && !serial;
    const lacksPlace = lacks ?? (isBare ? (place: number) => place >= cells.length + mayLack : undefined);
    if (lacksPlace) row.lacks = (column) => lacksPlace(row.numberOf(column)! - 1);
    if (plan.rows && !plan.rows(row)) {
      const isPast = (column: string) => row.lacks?.(column) ?? row.numberOf(column)! > cells.length;
      if (isCut && plan.rows.columns.some(isPast)) noteShort(seen.findings, row);
      seen.leaveOut(fill.keepGroup(row, cells) ? 'not in "rows", filled down from' : 'not in "rows"', line);
      continue;
    }
    fill.keep(row);
    checkWidth(heading, row, cells, seen.findings);
    const isWhole = serial !== undefined || cells.length + mayLack >= heading.width;
    if (!isWhole) noteShort(seen.findings, row, `${cells.length} of ${heading.width} cells`);
    yield row;
  }
  if (!heading) throw noHeading(best);
  const beyond = [...heading.places].filter(([, place]) => place >= width).map(([column]) => `“${column}”`);
  if (dialect.header === false && width > 0 && beyond.length > 0)
    throw new FileProblem(
      undefined,
      `the mapping names ${beyond.join(', ')}, and the widest row has ${width} cells`,
    );
  seen.unmapped = heading.names.filter(
    (name, index) => name !== '' && ![...heading.places.values()].includes(index),
  );
}

class CellsRow implements Row {
  filled: Map<string, FileCell> | undefined;
  lacks: Row['lacks'];

  constructor(
    readonly line: number,
    private readonly cells: readonly FileCell[],
    private readonly places: ReadonlyMap<string, number>,
    readonly serial: Row['serial'],
    readonly isCut: boolean,
  ) {}

  cell(column: string): FileCell {
    const place = this.places.get(column);
    return this.filled?.get(column) ?? (place === undefined ? undefined : this.cells[place]);
  }

  numberOf(column: string): number | undefined {
    const place = this.places.get(column);
    return place === undefined ? undefined : place + 1;
  }
}

/** The heading of a file that has none of its own in a single row: given by the mapping, or `1`, `2`, ... */
function fixedHeading({ dialect = {} }: Mapping, plan: MappingPlan): TableHeading | undefined {
  if (dialect.columns) return required(headingIn(1, Object.keys(dialect.columns), plan));
  if (dialect.header !== false) return undefined;
  const places = new Map(plan.columns.map((column) => [column, Number(column) - 1]));
  const wrong = plan.columns.filter((column) => !/^[1-9]\d{0,4}$/.test(column));
  if (wrong.length > 0)
    throw new FileProblem(
      undefined,
      `without a heading the columns are called "1", "2", ...: the mapping names “${wrong.join('”, “')}”`,
    );
  return { line: 0, names: [], width: 0, places, missing: [] };
}

function required(heading: TableHeading): TableHeading {
  if (heading.missing.length > 0) throw noHeading(heading);
  return heading;
}

/** Joins the names of several heading rows by a blank, column by column. */
export function joinNames(rows: readonly (readonly FileCell[])[]): string[] {
  const width = Math.max(0, ...rows.map((cells) => cells.length));
  const partsAt = (index: number) => [
    ...new Set(rows.map((cells) => textIn(cells[index])).filter((text) => text !== '')),
  ];
  return Array.from({ length: width }, (_, index) => partsAt(index).join(' '));
}

const isAgain = ({ names, line }: TableHeading, cells: readonly FileCell[]) =>
  line > 0 && names.length > 0 && names.every((name, index) => nameOf(cells[index]) === name);

function checkWidth({ names }: TableHeading, row: Row, cells: readonly FileCell[], findings: Findings): void {
  if (names.length === 0) return;
  const at = cells.findIndex((cell, index) => index >= names.length && textIn(cell) !== '');
  if (at === -1) return;
  const problem = `a row has a cell more than the heading, which has ${names.length}`;
  const advice = 'put cells that have the delimiter in quotes, or say the right "delimiter"';
  findings.add('width', { problem, advice }, { line: row.line, column: at + 1 }, textIn(cells[at]));
}

/** A row that ends early. One without a line end was cut off, and what follows it is not in the file. */
export function noteShort(
  findings: Findings,
  { line, isCut = false }: Row,
  has = 'not all of its cells',
): void {
  const problem = isCut
    ? `the last row has ${has} and no line end: the file was cut off`
    : `a row has ${has}`;
  const advice = isCut
    ? 'export it again; of a line that is no record, say by "rows" what its first cell is not'
    : 'export it again, or say by "short_rows" in the "dialect" how many cells a row may leave out at its end';
  findings.add(`short ${isCut}`, { problem, advice }, { line });
}

/** Fills blank cells that mean "as above", in a record or in a row of such a cell alone. */
function filler(columns: readonly string[]) {
  const above = new Map<string, FileCell>();
  const fill = (row: CellsRow): CellsRow => {
    const blanks = columns.filter((column) => textIn(row.cell(column)) === '' && above.has(column));
    if (blanks.length > 0) row.filled = new Map(blanks.map((column) => [column, above.get(column)]));
    return row;
  };
  const keep = (row: Row) =>
    columns.forEach((column) => textIn(row.cell(column)) !== '' && above.set(column, row.cell(column)));
  /** Of a row that is left out, where it has nothing but what is filled down. */
  const keepGroup = (row: CellsRow, cells: readonly FileCell[]): boolean => {
    const places = columns.map((column) => row.numberOf(column));
    const isGroup =
      columns.length > 0 && cells.every((cell, index) => textIn(cell) === '' || places.includes(index + 1));
    if (isGroup) keep(row);
    return isGroup;
  };
  return Object.assign(fill, { keep, keepGroup });
}
