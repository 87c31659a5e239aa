import { Readable } from 'node:stream';
import { addTo } from '../../domain/add-to';
import type { RecordType } from '../../domain/commands';
import { FileProblem } from '../file-problem';
import { plainText, readChunks } from '../text-file/plain-text';
import { plainName } from '../../domain/nearest-name';
import { nameOf } from './find-heading';
import type { Mapping } from './mapping-schema';
import { DELIMITERS, firstReadable, firstRows, formatOf, headOf } from './open-file';
import { commandOf } from './plan';
import { leavesOf, listIn } from './find-list';
import { readObjects } from './read-objects';
import type { TableRow } from './read-rows';
import { readWorkbook } from './read-workbook';
import { Reading } from './reading';
import { textIn } from './row';

const SHOWN_VALUES = 3;
const ROWS_LOOKED_AT = 200;

/**
 * Drafts a mapping to begin with. A column whose name is known gets its field; all others are listed under "?" with
 * some values.
 */
export async function draftMapping(file: string, type: RecordType): Promise<Mapping> {
  const head = await headOf(readChunks(file));
  if (head.length === 0) throw new FileProblem({ line: 1 }, 'the file is empty');
  const format = formatOf(file, head, {});
  if (format === 'xlsx')
    return ofTable(await firstOf(readWorkbook(readChunks(file), { type }, new Reading())), type, {});
  const { text, encoding } = await textOf(head);
  if (format === 'json' || format === 'ndjson') return ofObjects(text, type);
  const tables = await Promise.all(
    DELIMITERS.map(async (delimiter) => ({ delimiter, rows: await firstRows(text, delimiter) })),
  );
  const widest = (rows: readonly TableRow[]) => Math.max(0, ...rows.map(({ cells }) => filled(cells)));
  const best = tables.reduce((one, other) => (widest(other.rows) > widest(one.rows) ? other : one));
  const dialect = {
    ...(best.delimiter !== ',' && { delimiter: best.delimiter }),
    ...(encoding && { encoding }),
  };
  return ofTable(best.rows, type, dialect);
}

/** Decodes by a byte order mark, as UTF-8 if it is valid, otherwise as windows-1252. */
async function textOf(head: Buffer): Promise<{ text: Buffer; encoding?: string }> {
  // The last character may be cut off.
  const whole = head.subarray(
    0,
    Math.max(head.lastIndexOf('\n') + 1, head.length < 1000 ? head.length : 0) || head.length,
  );
  const read = async (encoding?: string) => {
    const pieces: Buffer[] = [];
    for await (const piece of plainText(Readable.from([whole]), encoding)) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  try {
    return { text: await read() };
  } catch (error) {
    if (!(error instanceof FileProblem) || !error.message.includes('is not UTF-8')) throw error;
    return { text: await read('windows-1252'), encoding: 'windows-1252' };
  }
}

async function firstOf(rows: AsyncIterable<TableRow>): Promise<TableRow[]> {
  const found: TableRow[] = [];
  for await (const row of rows) if (found.push(row) >= ROWS_LOOKED_AT) break;
  return found;
}

const filled = (cells: readonly unknown[]) => cells.filter((cell) => textIn(cell) !== '').length;

/** Drafts for a table. Its heading is the first of the rows with the most cells. */
function ofTable(rows: readonly TableRow[], type: RecordType, dialect: Mapping['dialect'] & object): Mapping {
  const heading = rows.reduce<TableRow | undefined>(
    (best, row) => (filled(row.cells) > filled(best?.cells ?? []) ? row : best),
    undefined,
  );
  if (!heading) throw new FileProblem({ line: 1 }, 'the file has no heading');
  const below = rows.slice(rows.indexOf(heading) + 1).map(({ cells }) => cells);
  const columns = heading.cells.map((cell, index) => ({
    name: nameOf(cell),
    values: below.map((cells) => cells[index]),
  }));
  return {
    type,
    ...(Object.keys(dialect).length > 0 && { dialect }),
    ...drafted(
      columns.filter(({ name }) => name !== ''),
      type,
    ),
  };
}

async function ofObjects(text: Buffer, type: RecordType): Promise<Mapping> {
  const { property, objects } = await findObjects(text);
  const values = new Map<string, unknown[]>();
  for (const object of objects) for (const [name, value] of leavesOf(object, '')) addTo(values, name, value);
  return {
    type,
    ...(property && { dialect: { property } }),
    ...drafted(
      [...values].map(([name, of]) => ({ name, values: of })),
      type,
    ),
  };
}

/** Finds the objects that are records: those of the file itself, or those of a list in it. */
async function findObjects(text: Buffer): Promise<{ property?: string; objects: object[] }> {
  const found = await firstReadable(readObjects(Readable.from([text])), ROWS_LOOKED_AT);
  const objects = found.map(({ value }) => value as object);
  const property =
    objects.length === 1
      ? listIn(objects[0]!)
      : objects.length === 0
        ? /"([^"]+)"\s*:\s*\[\s*\{/.exec(text.toString())?.[1]
        : undefined;
  if (property === undefined) return { objects };
  const path = property.endsWith('[]') ? property : `${property}[]`;
  const within = await firstReadable(readObjects(Readable.from([text]), path));
  const inner = within.flatMap(({ value, path: outside }) =>
    outside === undefined ? [value as object] : [],
  );
  return inner.length > 0 ? { property: path, objects: inner.slice(0, ROWS_LOOKED_AT) } : { objects };
}

/** Makes the draft. Of two columns for one field the first one gets it, so that no value silently replaces another. */
function drafted(
  columns: { name: string; values: unknown[] }[],
  type: RecordType,
): Pick<Mapping, 'record' | '?'> {
  const fields = new Map(
    Object.keys(commandOf(type).schema.properties).map((field) => [plainName(field), field]),
  );
  const record: Record<string, string> = {};
  const others: Record<string, string[]> = {};
  for (const { name, values } of columns) {
    const field = fields.get(plainName(name));
    if (field !== undefined && !Object.hasOwn(record, field)) record[field] = name;
    else
      others[name] = [...new Set(values.map(textIn).filter((text) => text !== '' && text !== name))].slice(
        0,
        SHOWN_VALUES,
      );
  }
  return { record, ...(Object.keys(others).length > 0 && { '?': others }) };
}
