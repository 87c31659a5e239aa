import path from 'node:path';
import { trimmed } from '../../domain/pasted-text';
import { FileProblem } from '../text-file/file-problem';
import { plainText, readChunks } from '../text-file/plain-text';
import { type MappedColumn, recordMapper } from './map-record';
import type { Mapping } from './mapping';
import { readObjects } from './read-objects';
import { readRows, type Row } from './read-rows';

const JSON_FILE = /\.(json|ndjson|jsonl)$/i;
const SHOWN_COLUMNS = 30;

/** Whether `gdx push` takes a file of this name from a folder. */
export const isPushable = (file: string) => /\.csv$/i.test(file) || JSON_FILE.test(file);

/** One record of a file, mapped. */
export interface FileRecord {
  line: number;
  record: Record<string, unknown>;
}

export interface Reading {
  /** Columns of a CSV file that the mapping does not name. */
  unmapped: string[];
  /** Where the columns are that fields come from: their numbers, in a CSV file. */
  places: Map<MappedColumn, number>;
}

/** A file's text in UTF-8. @throws FileProblem where it is none */
export const readBytes = (file: string): AsyncGenerator<Buffer> => plainText(readChunks(file));

/**
 * The records of a CSV, NDJSON or JSON file, one at a time.
 * @param seen learns what the header says
 * @throws FileProblem
 */
export async function* readRecords(
  file: string,
  mapping: Mapping,
  seen: Reading = { unmapped: [], places: new Map() },
): AsyncGenerator<FileRecord> {
  const bytes = readBytes(file);
  if (JSON_FILE.test(path.basename(file))) yield* fromObjects(bytes, mapping, seen);
  else yield* fromRows(readRows(bytes, mapping.delimiter ?? ','), mapping, seen);
}

async function* fromRows(
  rows: AsyncGenerator<Row>,
  mapping: Mapping,
  seen: Reading,
): AsyncGenerator<FileRecord> {
  const mapper = recordMapper(mapping);
  let indexes: number[] | undefined;
  for await (const { line, cells } of rows) {
    if (indexes) {
      const values = indexes.map((index) => cells[index]);
      yield { line, record: mapper.map(values) };
    } else {
      indexes = findColumns(mapper.columns, cells, line, mapping.delimiter ?? ',');
      mapper.columns.forEach((column, index) => seen.places.set(column, indexes![index]! + 1));
      const named = new Set(Object.keys(mapping.columns ?? {}));
      seen.unmapped = cells.map(trimmed).filter((name) => !named.has(name));
    }
  }
}

/** Where each mapped column is. @throws FileProblem naming all that are not there, or there twice */
function findColumns(columns: MappedColumn[], header: string[], line: number, delimiter: string): number[] {
  const names = header.map(trimmed);
  if (columns.length === 0)
    throw new FileProblem({ line }, 'the mapping has no "columns", which a CSV file needs');
  const missing = columns.filter(({ column }) => !names.includes(column)).map(({ column }) => `“${column}”`);
  const other = [',', ';', '\t', '|'].find((mark) => mark !== delimiter && header.join('').includes(mark));
  if (missing.length > 0) {
    const has = names.slice(0, SHOWN_COLUMNS).join(', ');
    const hint =
      names.length === 1 && other ? `. Say "delimiter": ${JSON.stringify(other)} in the mapping` : '';
    throw new FileProblem(
      { line },
      `the mapping names ${missing.join(', ')}, and the header has no such column: ${has}${hint}`,
    );
  }
  const twice = columns.find(({ column }) => names.indexOf(column) !== names.lastIndexOf(column));
  if (twice) throw new FileProblem({ line }, `the header has the column “${twice.column}” twice`);
  return columns.map(({ column }) => names.indexOf(column));
}

async function* fromObjects(
  bytes: AsyncIterable<Buffer>,
  mapping: Mapping,
  seen: Reading,
): AsyncGenerator<FileRecord> {
  const mapper = recordMapper(mapping);
  const unseen = new Set(mapper.columns);
  let last = 1;
  for await (const { line, value } of readObjects(bytes)) {
    last = line;
    for (const column of unseen) if (Object.hasOwn(value, column.column)) unseen.delete(column);
    const values = mapper.columns.map(({ column }) =>
      Object.hasOwn(value, column) ? value[column] : undefined,
    );
    yield { line, record: mapping.columns ? mapper.map(values) : mapper.complete(value) };
  }
  const [never] = unseen;
  if (never)
    throw new FileProblem({ line: last }, `the mapping names “${never.column}”, and no record has it`);
  seen.places.clear(); // members have no numbers
}
