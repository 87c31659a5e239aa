import { Readable } from 'node:stream';
import { addTo } from '../../domain/add-to';
import type { RecordType } from '../../domain/commands';
import { FileProblem } from '../file-problem';
import { plainText, readChunks } from '../text-file/plain-text';
import { plainName } from '../../domain/nearest-name';
import { markOf } from '../text-file/text-encoding';
import { knownField } from './field-kind';
import { nameOf } from './find-heading';
import type { Mapping } from './mapping-schema';
import { DELIMITERS, firstReadable, firstRows, formatOf, headOf } from './open-file';
import { commandOf } from './plan';
import { leavesOf, listIn } from './find-list';
import { readObjects } from './read-objects';
import { formsFor } from './read-dates';
import { readDbf } from './read-dbf';
import { refusalsOf } from './refusals';
import { recordText } from './request-body';
import type { TableRow } from './read-rows';
import { readWorkbook } from './read-workbook';
import { readXml, recordsIn } from './read-xml';
import { Reading } from './reading';
import { textIn } from './row';

const SHOWN_VALUES = 3;
const ROWS_LOOKED_AT = 200;

/**
 * Drafts a mapping to begin with. A column whose name is known gets its field; all others are listed under "?" with
 * some values.
 */
export async function draftMapping(file: string, type: RecordType, sheet?: string): Promise<Mapping> {
  const head = await headOf(readChunks(file));
  if (head.length === 0) throw new FileProblem({ line: 1 }, 'the file is empty');
  const format = formatOf(file, head, {});
  const dialectOf = sheet === undefined ? {} : { sheet_name: sheet };
  if (format === 'xlsx')
    return ofTable(await firstOf(readWorkbook(readChunks(file), { type, dialect: dialectOf }, new Reading())), type, dialectOf); // prettier-ignore
  if (format === 'dbf') return ofTable(await firstOf(readDbf(readChunks(file))), type, {});
  const { text, encoding } = await textOf(head);
  if (format === 'xml') return ofXml(text, type);
  if (format === 'json' || format === 'ndjson') return ofObjects(await findObjects(text), type);
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
  // The last character may be cut off. In UTF-16 what is there counts without it, as a line end has two bytes.
  const isAll = head.length < 1000;
  const isWide = !isAll && markOf(head)?.encoding.startsWith('UTF-16');
  const end = isWide ? 0 : Math.max(head.lastIndexOf('\n') + 1, isAll ? head.length : 0);
  const read = async (encoding?: string) =>
    Buffer.concat(await (isWide ? firstReadable : all)(plainText(Readable.from([head.subarray(0, end || head.length)]), encoding))); // prettier-ignore
  try {
    return { text: await read() };
  } catch (error) {
    if (!(error instanceof FileProblem) || !error.message.includes('is not UTF-8')) throw error;
    return { text: await read('windows-1252'), encoding: 'windows-1252' };
  }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
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

async function ofXml(text: Buffer, type: RecordType): Promise<Mapping> {
  const property = await recordsIn(Readable.from([text]));
  const found = property === undefined ? [] : await firstReadable(readXml(Readable.from([text]), property));
  const objects = found.flatMap(({ value, path }) => (path === undefined ? [value as object] : []));
  return ofObjects({ ...(property !== undefined && { property }), objects }, type);
}

function ofObjects(
  { property, objects }: { property?: string; objects: object[] },
  type: RecordType,
): Mapping {
  const isRecord = (one: object) => refusalsOf(commandOf(type), recordText(one)).length === 0;
  if (objects.length > 0 && objects.every(isRecord))
    return { type, ...(property && { dialect: { property } }) };
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

/** A column, with the one form that fits every one of its dates where the field is a date. */
function sourceOf(name: string, field: string, values: readonly unknown[], type: RecordType): unknown {
  const kind = knownField(commandOf(type).schema, field)?.kind;
  if (kind !== 'instant' && kind !== 'created' && kind !== 'day') return name;
  const texts = values.filter((value) => typeof value === 'string').map(textIn).filter((text) => text !== ''); // prettier-ignore
  const [form, another] = texts.length === 0 ? [] : formsFor(texts);
  return form === undefined || another !== undefined ? name : { from: name, dates: [form] };
}

/** Makes the draft. Of two columns for one field the first one gets it, so that no value silently replaces another. */
function drafted(
  columns: { name: string; values: unknown[] }[],
  type: RecordType,
): Pick<Mapping, 'record' | '?'> {
  const fields = new Map(
    Object.keys(commandOf(type).schema.properties).map((field) => [plainName(field), field]),
  );
  const record: Record<string, unknown> = {};
  const others: Record<string, string[]> = {};
  for (const { name, values } of columns) {
    const field = fields.get(plainName(name));
    if (field !== undefined && !Object.hasOwn(record, field))
      record[field] = sourceOf(name, field, values, type);
    else
      others[name] = [...new Set(values.map(textIn).filter((text) => text !== '' && text !== name))].slice(
        0,
        SHOWN_VALUES,
      );
  }
  return { record, ...(Object.keys(others).length > 0 && { '?': others }) };
}
