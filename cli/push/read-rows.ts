import { CsvError, parse } from 'csv-parse';
import { trimmed } from '../../domain/pasted-text';
import { pipeline } from 'node:stream';
import { FileProblem } from '../text-file/file-problem';

// A quote that is never closed would take the rest of the file for one row.
const MOST_BYTES = 1024 * 1024;

export interface Row {
  /** Where it begins. */
  line: number;
  cells: string[];
}

/**
 * The rows of a CSV file, the header first, blank lines left out.
 * @throws FileProblem
 */
export async function* readRows(bytes: AsyncIterable<Buffer>, delimiter: string): AsyncGenerator<Row> {
  let next = 1;
  // Called as a row is parsed: rows that are not read yet are lost when a later one cannot be parsed.
  const on_record = (cells: string[]): Row => {
    const line = next;
    next += 1 + cells.reduce((sum, cell) => sum + newlinesIn(cell), 0);
    return { line, cells };
  };
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    on_record: on_record as never,
    relax_column_count: true,
    max_record_size: MOST_BYTES,
  });
  pipeline(bytes, parser, () => {}); // an error of either ends the loop below
  let columns: number | undefined;
  try {
    for await (const row of parser) {
      const { line, cells } = row as Row;
      columns ??= cells.length;
      const isBlank = cells.length === 1 && trimmed(cells[0]!) === '';
      if (!isBlank && cells.length !== columns) throw wrongCount(line, cells.length, columns);
      if (!isBlank) yield { line, cells };
    }
  } catch (error) {
    throw error instanceof CsvError ? explain(error, next) : error;
  }
}

const newlinesIn = (cell: string) => (/[\r\n]/.test(cell) ? cell.split(/\r\n|\r|\n/).length - 1 : 0);

const wrongCount = (line: number, found: number, columns: number) =>
  new FileProblem({ line }, `the row has ${found} columns and the header has ${columns}`);

const PROBLEMS: Record<string, string> = {
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote: a quote inside a quoted cell is written twice',
  INVALID_OPENING_QUOTE:
    'a quote in the middle of a cell: is the "delimiter" another one? If not, put the whole cell in quotes, and write the quote twice',
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and not closed until the end of the file',
  CSV_MAX_RECORD_SIZE: 'a row of more than 1 MiB: is a quote not closed?',
};

/** @param line where the row begins that could not be read */
function explain({ code, column }: CsvError & { column?: unknown }, line: number): FileProblem {
  const place = { line, column: typeof column === 'number' ? column + 1 : undefined };
  return new FileProblem(place, PROBLEMS[code] ?? `not readable as CSV (${code})`);
}
