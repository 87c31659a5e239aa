import { CsvError, type Options, parse } from 'csv-parse';
import { pipeline } from 'node:stream';
import { FileProblem } from '../file-problem';
import type { FileCell, Row } from './row';

// With an unclosed quote the rest of the file would become one row.
const MOST_BYTES = 1024 * 1024;

/** A row of a table as the file has it. */
export interface TableRow {
  /** The line in which it begins. */
  line: number;
  cells: readonly FileCell[];
  serial?: Row['serial'];
}

/** Reads the rows of a CSV file, including blank ones. @throws FileProblem */
export async function* readRows(bytes: AsyncIterable<Buffer>, delimiter: string): AsyncGenerator<TableRow> {
  let next = 1;
  // Takes each row as it is parsed. Otherwise rows would be lost when a later one cannot be parsed.
  const on_record = (cells: string[]): TableRow => {
    const line = next;
    next += 1 + cells.reduce((sum, cell) => sum + newlinesIn(cell), 0);
    return { line, cells };
  };
  yield* parsed<TableRow>(
    bytes,
    { delimiter, on_record: on_record as never, relax_column_count: true, relax_quotes: true },
    () => next,
  );
}

/** @param next the line in which a row that cannot be parsed begins */
async function* parsed<R>(
  bytes: AsyncIterable<Buffer>,
  options: Options,
  next: () => number,
): AsyncGenerator<R> {
  const parser = parse({
    ...options,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: MOST_BYTES,
  });
  pipeline(bytes, parser, () => {}); // an error of either one ends the loop below
  try {
    yield* parser as AsyncIterable<R>;
  } catch (error) {
    throw error instanceof CsvError ? explain(error, next()) : error;
  }
}

const newlinesIn = (cell: string) => (/[\r\n]/.test(cell) ? cell.split(/\r\n|\r|\n/).length - 1 : 0);

const PROBLEMS: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and not closed until the end of the file',
  CSV_MAX_RECORD_SIZE: 'a row of more than 1 MiB: is a quote not closed?',
};

function explain({ code, column }: CsvError & { column?: unknown }, line: number): FileProblem {
  const place = { line, column: typeof column === 'number' ? column + 1 : undefined };
  return new FileProblem(place, PROBLEMS[code] ?? `not readable as CSV (${code})`);
}

/** Reads a file whose columns have fixed places, counted from 1, line by line. @throws FileProblem */
export async function* readFixed(
  bytes: AsyncIterable<Buffer>,
  columns: Record<string, [from: number, to: number]>,
): AsyncGenerator<TableRow> {
  const places = Object.values(columns);
  let line = 0;
  // No character is a delimiter or a quote in such a file; NUL is refused in any text.
  const lines = parsed<[string]>(bytes, { delimiter: '\0', quote: null }, () => line + 1);
  for await (const [text] of lines) {
    line++;
    const characters = /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
    yield {
      line,
      cells: places.map(([from, to]) =>
        typeof characters === 'string'
          ? characters.slice(from - 1, to)
          : characters.slice(from - 1, to).join(''),
      ),
    };
  }
}
