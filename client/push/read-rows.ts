import { CsvError, type Options, parse } from 'csv-parse';
import { pipeline } from 'node:stream';
import { FileProblem } from '../file-problem';
import type { FileCell, Row } from './row';

// With an unclosed quote the rest of the file would become one row.
const MOST_BYTES = 1024 * 1024;
/** As many as a row of a workbook can have. */
export const MOST_CELLS = 16_384;
// Only cells without text make a row longer than its text in quotes: the parser counts text alone.
const MOST_AS_WRITTEN = 4 * MOST_BYTES;

/** A row of a table as the file has it. */
export interface TableRow {
  /** The line in which it begins. */
  line: number;
  cells: readonly FileCell[];
  serial?: Row['serial'];
  /** The last row, without a line end. */
  isCut?: boolean;
  /** Whether a row without cells ends before the whole of a place, from 0, that it should have. */
  lacks?: (place: number) => boolean;
}

/**
 * Reads the rows of a CSV file, including blank ones.
 * @param isStrict text behind the quote that ends a cell is refused; otherwise it is a part of it, as is a blank beside a quote
 * @throws FileProblem
 */
export async function* readRows(
  bytes: AsyncIterable<Buffer>,
  delimiter: string,
  isStrict = true,
): AsyncGenerator<TableRow> {
  let next = 1;
  // Takes each row as it is parsed. Otherwise rows would be lost when a later one cannot be parsed.
  const rowOf = (cells: string[]): TableRow => {
    const line = next;
    next += 1 + cells.reduce((sum, cell) => sum + newlinesIn(cell), 0);
    return { line, cells };
  };
  yield* parsed(bytes, { delimiter, relax_quotes: true, trim: isStrict }, rowOf, () => next);
}

/** @param next the line in which a row that cannot be parsed begins */
async function* parsed(
  bytes: AsyncIterable<Buffer>,
  options: Options,
  rowOf: (cells: string[]) => TableRow,
  next: () => number,
): AsyncGenerator<TableRow> {
  let last = 0;
  let sinceRow = 0;
  const tooMany = () => new FileProblem({ line: next() }, TOO_MANY_CELLS);
  const on_record = (cells: string[]): TableRow => {
    if (cells.length > MOST_CELLS) throw tooMany();
    sinceRow = 0;
    return rowOf(cells);
  };
  async function* heard(): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      last = chunk.at(-1) ?? last;
      sinceRow += chunk.length;
      if (sinceRow > MOST_AS_WRITTEN) throw tooMany();
      yield chunk;
    }
  }
  const parser = parse({
    ...options,
    on_record: on_record as never,
    relax_column_count: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: MOST_BYTES,
  });
  pipeline(heard(), parser, () => {}); // an error of either one ends the loop below
  let row: TableRow | undefined;
  try {
    for await (const one of parser as AsyncIterable<TableRow>) {
      if (row) yield row;
      row = one;
    }
  } catch (error) {
    if (row) yield row;
    throw error instanceof CsvError ? explain(error, next()) : error;
  }
  if (row) yield LINE_ENDS.has(last) ? row : Object.assign(row, { isCut: true });
}

const LINE_ENDS = new Set([0x0a, 0x0d]);

const newlinesIn = (cell: string) => (/[\r\n]/.test(cell) ? cell.split(/\r\n|\r|\n/).length - 1 : 0);

const BEHIND = 'text stands behind the quote that ends a cell: a quote in a cell in quotes is written twice';
const TOO_MANY_CELLS =
  'a row of more than 16,384 cells, as no workbook has: is the "delimiter" the right one?';
const PROBLEMS: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and not closed until the end of the file',
  CSV_INVALID_CLOSING_QUOTE: BEHIND,
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: BEHIND,
  CSV_MAX_RECORD_SIZE: 'a row of more than 1 MiB: is a quote not closed?',
};

function explain({ code, column }: CsvError & { column?: unknown }, line: number): FileProblem {
  const place = { line, column: typeof column === 'number' ? column + 1 : undefined };
  return new FileProblem(place, PROBLEMS[code] ?? `not readable as CSV (${code})`);
}

/**
 * Reads a file whose columns have fixed places, counted from 1, line by line.
 * @param mayLack how many columns at its end a line may lack
 * @throws FileProblem
 */
export async function* readFixed(
  bytes: AsyncIterable<Buffer>,
  columns: Record<string, [from: number, to: number]>,
  mayLack: number,
): AsyncGenerator<TableRow> {
  const places = Object.values(columns);
  let line = 0;
  const rowOf = ([text = '']: string[]): TableRow => {
    const characters = /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
    const lacking = places.filter(([, to]) => to > characters.length).length;
    const row: TableRow = {
      line: ++line,
      cells: places.map(([from, to]) =>
        typeof characters === 'string'
          ? characters.slice(from - 1, to)
          : characters.slice(from - 1, to).join(''),
      ),
    };
    if (lacking > 0)
      row.lacks = (place) => places[place]![1] > characters.length && (row.isCut || lacking > mayLack);
    return row;
  };
  // No character is a delimiter or a quote in such a file; NUL is refused in any text.
  yield* parsed(bytes, { delimiter: '\0', quote: null }, rowOf, () => line + 1);
}
