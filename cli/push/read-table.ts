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
  for await (const { line, cells, serial } of rows) {
    width = Math.max(width, cells.length);
    if (cells.every((cell) => textIn(cell) === '')) continue;
    if (!heading && dialect.header_rows) {
      if (dialect.header_rows.includes(line)) joined.push(cells);
      else seen.leaveOut('above the heading', line);
      if (line >= Math.max(...dialect.header_rows))
        heading = required(headingIn(line, joinNames(joined), plan));
      continue;
    }
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
    const row = fill(new CellsRow(line, cells, heading.places, serial));
    if (plan.rows && !plan.rows(row)) {
      seen.leaveOut('not in "rows"', line);
      continue;
    }
    fill.keep(row);
    checkWidth(heading, row, cells, seen.findings);
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

  constructor(
    readonly line: number,
    private readonly cells: readonly FileCell[],
    private readonly places: ReadonlyMap<string, number>,
    readonly serial: Row['serial'],
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
  return { line: 0, names: [], places, missing: [] };
}

function required(heading: TableHeading): TableHeading {
  if (heading.missing.length > 0) throw noHeading(heading);
  return heading;
}

/** Joins the names of several heading rows by a blank, column by column. */
function joinNames(rows: readonly (readonly FileCell[])[]): string[] {
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
  const what = (many: string) => `${many} a cell more than the heading, which has ${names.length}`;
  findings.add(
    'width',
    [what('a row has'), what('rows have')],
    'put cells that have the delimiter in quotes, or say the right "delimiter"',
    { line: row.line, column: at + 1 },
    textIn(cells[at]),
  );
}

/** Fills blank cells that mean "as above". Only rows that are records count. */
function filler(columns: readonly string[]) {
  const above = new Map<string, FileCell>();
  const fill = (row: CellsRow): CellsRow => {
    const blanks = columns.filter((column) => textIn(row.cell(column)) === '' && above.has(column));
    if (blanks.length > 0) row.filled = new Map(blanks.map((column) => [column, above.get(column)]));
    return row;
  };
  const keep = (row: Row) =>
    columns.forEach((column) => textIn(row.cell(column)) !== '' && above.set(column, row.cell(column)));
  return Object.assign(fill, { keep });
}
