import path from 'node:path';
import { Readable } from 'node:stream';
import { FileProblem } from '../file-problem';
import { plainText, readChunks } from '../text-file/plain-text';
import { headingIn } from './find-heading';
import type { Mapping } from './mapping-schema';
import type { MappingPlan } from './plan';
import { FLAG, isDbf, readDbf } from './read-dbf';
import { readFixed, readRows, type TableRow } from './read-rows';
import { readJson } from './read-json';
import { readObjects } from './read-objects';
import { readTable } from './read-table';
import { encodingIn, readXml } from './read-xml';
import { readWorkbook } from './read-workbook';
import type { Reading } from './reading';
import type { Row } from './row';

type Format = NonNullable<NonNullable<Mapping['dialect']>['format']>;

const NAMES: readonly [RegExp, Format][] = [
  [/\.(csv|tsv|tab)$/i, 'csv'],
  [/\.(ndjson|jsonl)$/i, 'ndjson'],
  [/\.json$/i, 'json'],
  [/\.xlsx$/i, 'xlsx'],
  [/\.xml$/i, 'xml'],
  [/\.dbf$/i, 'dbf'],
];

/** Whether `gdx push` takes a file of this name from a folder. Excel puts a `~$` file beside an open workbook. */
export const isPushable = (file: string) =>
  !file.startsWith('~$') && (NAMES.some(([name]) => name.test(file)) || /\.(txt|dat)$/i.test(file));
export const PUSHABLE = '.csv, .tsv, .tab, .txt, .dat, .json, .ndjson, .jsonl, .xml, .dbf or .xlsx';

/** The delimiters that are tried where the mapping names none. */
export const DELIMITERS = [',', ';', '\t', '|'];
export const LOOKED_AT = 256 * 1024;
const PIECE = 16 * 1024;
const ROWS_LOOKED_AT = 500;
const ZIP = Buffer.from('PK\u0003\u0004');

/** What is not read, by how a file begins, and what to do. */
const CAUSES: readonly [begins: RegExp, cause: string][] = [
  [/^\u001f\u008b|^BZh\d|^\u00fd7zXZ|^7z\u00bc\u00af|^Rar!|^\u0028\u00b5\u002f\u00fd/, 'packed (gzip, 7z or alike): unpack it, and push the file in it'],
  [/^%PDF-/, 'a PDF, which is for print: export the same list as CSV or as a workbook'],
  [/^PAR1/, 'Parquet: export it as CSV or NDJSON'],
  [/^\u00d0\u00cf\u0011\u00e0|^\t\b(?:\b|\u0004|\u0002)?\0/, 'an old workbook (.xls): save it as .xlsx or CSV'],
  [/^SQLite format 3|^\0\u0001\0\0Standard (?:Jet|ACE)/, 'a database: export its table as CSV'],
  [/^\s*(?:<!doctype html|<(?:html|head|meta|style|table|body)\b)|^MIME-Version:/i, 'a web page (HTML), whatever its name is: open it in a spreadsheet and save it as .xlsx or CSV'],
  [/^\s*(?:<\?xml.*)?[^]{0,300}urn:schemas-microsoft-com:office:spreadsheet/, 'a workbook of 2003 (XML): save it as .xlsx or CSV'],
  [/^\s*(?:ISA(.)\d\d\1|UNA:\+|UNB\+)/, 'EDI (X12 or EDIFACT): have the program export CSV, or make records of its segments by a script'],
  [/^\{\\rtf/, 'a text document (RTF): export it as CSV'],
]; // prettier-ignore

/** Reads the rows of a file of any format, except those that are not records. @throws FileProblem */
export async function* openFile(
  file: string,
  mapping: Mapping,
  plan: MappingPlan,
  seen: Reading,
): AsyncGenerator<Row> {
  const head = await headOf(readChunks(file));
  const format = formatOf(file, head, mapping);
  const { dialect = {} } = mapping;
  const encoding = dialect.encoding ?? (format === 'xml' ? encodingIn(head) : undefined);
  const text = () => plainText(readChunks(file), encoding);
  const table = (rows: AsyncIterable<TableRow>) => readTable(rows, mapping, plan, seen);
  const objects = (read: typeof readXml | typeof readObjects) =>
    readJson(() => read(text(), dialect.property), mapping, plan, seen);
  if (format === 'xlsx') return yield* table(readWorkbook(readChunks(file), mapping, seen));
  if (format === 'xml') return yield* objects(readXml);
  if (format === 'json' || format === 'ndjson') return yield* objects(readObjects);
  if (plan.inItems.length > 0)
    throw new FileProblem({ line: 1 }, '"each" names a list of a JSON record, and the file is a table');
  if (format === 'dbf') return yield* table(withFlag(readDbf(readChunks(file), encoding), plan));
  if (format === 'fixed') return yield* table(readFixed(text(), dialect.columns!, dialect.short_rows ?? 0));
  const delimiter =
    dialect.delimiter ?? (await findDelimiter(await headOf(text()), plan, dialect.header !== false));
  if (dialect.delimiter === undefined && delimiter !== ',')
    seen.remarks.push(`the delimiter is ${JSON.stringify(delimiter)}`);
  plan.commas.areUnsure = delimiter === ';';
  yield* table(readRows(text(), delimiter));
}

/** Refuses a deleted row of a dBase table of which the mapping says nothing. */
async function* withFlag(rows: AsyncGenerator<TableRow>, { columns }: MappingPlan): AsyncGenerator<TableRow> {
  for await (const row of rows) {
    if (row.line > 1 && row.cells[0] === FLAG && !columns.includes(FLAG))
      throw new FileProblem(
        { line: row.line },
        `the row is marked as deleted: say "deleted": { "${FLAG}": "${FLAG}" } in the mapping, or leave such rows out by "rows": { "${FLAG}": "" }`,
      );
    yield row;
  }
}

/**
 * The format of a file. A workbook is known by its first bytes. For other files the mapping's format counts
 * first, then `fixed` if the mapping has columns of fixed width, then the file's name. Otherwise a file that
 * begins with a bracket or a brace is JSON, and any other is CSV.
 * @throws FileProblem when the bytes contradict the mapping or the name
 */
export function formatOf(file: string, head: Buffer, { dialect = {} }: Pick<Mapping, 'dialect'>): Format {
  if (head.length === 0) throw new FileProblem({ line: 1 }, 'the file is empty');
  const begins = head.toString('latin1', 0, 2_000).replace(/^\u00ef\u00bb\u00bf/, '');
  const cause = CAUSES.find(([shape]) => shape.test(begins))?.[1];
  if (cause) throw new FileProblem({ line: 1 }, `the file is ${cause}`, true);
  const isZip = head.subarray(0, ZIP.length).equals(ZIP);
  if (isZip !== (dialect.format === 'xlsx') && dialect.format !== undefined)
    throw new FileProblem(
      { line: 1 },
      `the file is ${isZip ? 'a workbook' : 'not a workbook'}, and the mapping says "format": "${dialect.format}"`,
    );
  if (isZip) return 'xlsx';
  if (isDbf(head)) return 'dbf';
  if (dialect.format) return dialect.format;
  if (dialect.columns) return 'fixed';
  const named = NAMES.find(([name]) => name.test(path.basename(file)))?.[1];
  if (named === 'xlsx') throw new FileProblem({ line: 1 }, 'the file is called .xlsx and is not a workbook');
  if (named) return named;
  if (/^\s*<(?:\?xml|[a-z][\w:.-]*[\s>])/i.test(begins)) return 'xml';
  return /^[\ufeff\s]*[[{]/.test(head.toString('utf8', 0, 200)) ? 'json' : 'csv';
}

export async function headOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    bytes += chunk.length;
    if (bytes >= LOOKED_AT) break;
  }
  return Buffer.concat(held);
}

/** Finds the delimiter with which some row has the most mapped columns; of several, the one that makes the most cells. */
async function findDelimiter(head: Buffer, plan: MappingPlan, hasHeading: boolean): Promise<string> {
  let best: readonly [delimiter: string, missing: number, cells: number] = [',', Infinity, 0];
  let unread: FileProblem | undefined;
  for (const delimiter of DELIMITERS) {
    for (const { line, cells } of await firstRows(head, delimiter, (problem) => (unread ??= problem))) {
      const missing = hasHeading ? missingIn(line, cells, plan) : 0;
      if (missing < best[1] || (missing === best[1] && cells.length > best[2]))
        best = [delimiter, missing, cells.length];
      if (missing === 0 && hasHeading) break;
    }
  }
  if (hasHeading && best[1] > 0 && unread) throw unread; // an open quote hides the heading
  return best[0];
}

/** The number of mapped columns that a row lacks. A row with a column twice may still be the heading. */
function missingIn(line: number, cells: readonly unknown[], plan: MappingPlan): number {
  try {
    return headingIn(line, cells, plan).missing.length;
  } catch {
    return 0;
  }
}

/** Cuts bytes into pieces, because a parser reads a whole piece even where few of its rows are needed. */
function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE) yield bytes.subarray(from, from + PIECE);
}

/** Reads the rows at the beginning of a file; the last one may be cut off. */
export const firstRows = (head: Buffer, delimiter: string, unread?: (problem: FileProblem) => void) =>
  firstReadable(readRows(Readable.from(piecesOf(head)), delimiter, false), ROWS_LOOKED_AT, unread);

/** The first items, up to one that cannot be read. */
export async function firstReadable<T>(
  items: AsyncIterable<T>,
  most = Infinity,
  unread: (problem: FileProblem) => void = () => {},
): Promise<T[]> {
  const found: T[] = [];
  try {
    for await (const item of items) if (found.push(item) >= most) break;
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    unread(error);
  }
  return found;
}
