import { Readable } from 'node:stream';
import { addTo } from '../../domain/add-to';
import type { RecordType } from '../../domain/commands';
import { FileProblem } from '../file-problem';
import { plainText, readChunks } from '../text-file/plain-text';
import { isJsonObject } from '../../domain/strict-json';
import { markOf } from '../text-file/text-encoding';
import { type DraftColumn, RecordDraft } from './draft-record';
import { nameOf } from './find-heading';
import type { Mapping } from './mapping-schema';
import { DELIMITERS, firstReadable, firstRows, formatOf, headOf, LOOKED_AT } from './open-file';
import { commandOf } from './plan';
import { leavesOf, listIn } from './find-list';
import { TEXT } from './read-json';
import { type JsonValue, readObjects } from './read-objects';
import { readDbf } from './read-dbf';
import { refusalsOf } from './refusals';
import { recordText } from './request-body';
import type { TableRow } from './read-rows';
import { readWorkbook } from './read-workbook';
import { joinNames } from './read-table';
import { readXml, recordsIn } from './read-xml';
import { Reading } from './reading';
import { textIn } from './row';

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
  const ruled = ruledIn(text.toString());
  if (ruled) return ofTable(ruled.rows, type, { ...(encoding && { encoding }), ...ruled.dialect });
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
  const isAll = head.length < LOOKED_AT;
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

/** Of columns of one name, each with its number, as a mapping has it: `Date#2`. */
const numbered = (names: readonly string[]) =>
  names.map((name, at) => name !== '' && names.filter((other) => other === name).length > 1 ? `${name}#${names.slice(0, at + 1).filter((other) => other === name).length}` : name); // prettier-ignore

const RULER = /^\s*[-=]{2,}(?:\s+[-=]{2,})+\s*$/;

/** Columns of fixed width, where a line of dashes below their names shows them. */
function ruledIn(text: string): { rows: TableRow[]; dialect: Mapping['dialect'] } | undefined {
  const lines = text.split(/\r\n|\n|\r/);
  const ruler = lines.findIndex((line) => RULER.test(line));
  if (ruler < 1) return undefined;
  const spans = [...lines[ruler]!.matchAll(/[-=]+/g)].map(({ 0: dashes, index }) => [index + 1, index + dashes.length] as [number, number]); // prettier-ignore
  const rows = lines.map((text, at) => ({ line: at + 1, cells: spans.map(([from, to]) => text.slice(from - 1, to).trim()) })); // prettier-ignore
  const names = rows[ruler - 1]!.cells;
  const lacking = lines.slice(ruler + 1).map((line) => line.trim() && spans.filter(([, to]) => to > line.length).length); // prettier-ignore
  const short = Math.max(0, ...lacking.map(Number));
  const columns = Object.fromEntries(spans.map((span, at) => [names[at], span]));
  const others = rows.filter(({ cells }, at) => at !== ruler - 1 && cells.some((cell) => cell !== ''));
  return { rows: [rows[ruler - 1]!, ...others], dialect: { format: 'fixed', columns, ...(short > 0 && { short_rows: short }) } }; // prettier-ignore
}

const filled = (cells: readonly unknown[]) => new Set(cells.map(textIn).filter((text) => text !== '')).size;

const FIGURES = /^[\d\s.,:/()$%-]*\d[\d\s.,:/()$%-]*$/;
const isWords = (cells: readonly unknown[]) =>
  cells.every((cell) => cell === undefined || (typeof cell === 'string' && !FIGURES.test(textIn(cell))));
/** A cell over several columns comes as often. */
const hasMerged = ({ cells }: TableRow) => cells.some((cell, at) => at > 0 && textIn(cell) !== '' && textIn(cell) === textIn(cells[at - 1])); // prettier-ignore

/** Drafts for a table. Its heading is the first of the rows of words with the most different cells, or such two. */
function ofTable(rows: readonly TableRow[], type: RecordType, dialect: Mapping['dialect'] & object): Mapping {
  const words = rows.filter(({ cells }) => isWords(cells) && filled(cells) > 1);
  const most = Math.max(...words.map(({ cells }) => filled(cells)));
  const best = words.find(({ cells }) => filled(cells) === most);
  if (!best && rows.length === 0) throw new FileProblem({ line: 1 }, 'the file has no heading');
  const joined = words.filter(({ line }) => best && Math.abs(line - best.line) <= 1);
  const pair = joined.slice(0, 2);
  const isPair = pair.length === 2 && hasMerged(pair[0]!);
  const heading = isPair ? pair : best ? [best] : [];
  const last = heading.at(-1);
  const below = rows.slice(last ? rows.indexOf(last) + 1 : 0);
  const names = last ? joinNames(heading.map(({ cells }) => cells)) : rows[0]!.cells.map((_, at) => String(at + 1)); // prettier-ignore
  const records = below.filter(({ cells }) => !names.every((name, at) => name === nameOf(cells[at])));
  const columns = numbered(names.map(nameOf)).map((name, index) => ({ name, values: records.map(({ cells }) => cells[index]) }));
  const all = { ...dialect, ...(isPair && { header_rows: pair.map(({ line }) => line) }), ...(!last && { header: false }) };
  return {
    type,
    ...(Object.keys(all).length > 0 && { dialect: all }),
    ...new RecordDraft(columns.filter(({ name }) => name !== ''), type, dialect.sheet_name !== undefined).made(),
  };
} // prettier-ignore

async function ofXml(text: Buffer, type: RecordType): Promise<Mapping> {
  const property = await recordsIn(Readable.from([text]));
  const found = property === undefined ? [] : await firstReadable(readXml(Readable.from([text]), property));
  return ofObjects({ ...(property !== undefined && partsOf(found, property)) }, type);
}

/** The records among values, and the members of what encloses them. */
function partsOf(found: readonly JsonValue[], property: string): Objects {
  const [first] = property.split(/[.[]/);
  const outside = new Map<string, unknown[]>();
  for (const { path, value } of found)
    if (path?.startsWith(first!))
      for (const [name, leaf] of isJsonObject(value) ? leavesOf(value, `${path}.`) : [[path, value] as const])
        addTo(outside, name, leaf);
  const objects = found.flatMap(({ value, path }) => (path === undefined ? [value as object] : []));
  return {
    property,
    objects: objects.slice(0, ROWS_LOOKED_AT),
    outside: [...outside].map(([name, values]) => ({ name, values, isPath: true, isOutside: true })),
  };
}

function ofObjects({ property, objects = [], outside = [] }: Objects, type: RecordType): Mapping {
  const isRecord = (one: object) => refusalsOf(commandOf(type), recordText(one)).length === 0;
  if (objects.length > 0 && objects.every(isRecord))
    return { type, ...(property && { dialect: { property } }) };
  const values = new Map<string, unknown[]>();
  const told = tellers(objects);
  for (const object of objects)
    for (const [path, value] of pathsOf(object, told)) addTo(values, path.replace(`.${TEXT}`, ''), value);
  // One object may stand for a list of it.
  const listed = (name: string) => [...values.keys()].find((other) => other !== name && other.replace('[]', '') === name) ?? name; // prettier-ignore
  const columns = [...values].flatMap(([name, of]) =>
    listed(name) === name ? [{ name, values: of, isPath: true }] : [],
  );
  return {
    type,
    ...(property && { dialect: { property } }),
    ...new RecordDraft([...columns, ...outside], type, false).made(),
  };
}

/** The member by which the items of a list are told, one of a kind in each record: `measures[kind=GROSS]`. */
function tellers(objects: readonly object[]): Map<string, string> {
  const lists = new Map<string, Record<string, unknown>[][]>();
  for (const object of objects)
    for (const [name, list] of Object.entries(object) as [string, unknown][])
      if (Array.isArray(list) && list.length > 0) addTo(lists, name, list.filter(isJsonObject));
  const found = new Map<string, string>();
  for (const [name, all] of lists) {
    const longest = Math.max(...all.map((items) => items.length));
    const kinds = (key: string) => new Set(all.flat().map((item) => item[key]));
    const isTold = (key: string) =>
      longest > 1 &&
      kinds(key).size === longest &&
      [...kinds(key)].every((kind) => typeof kind === 'string' && /^[A-Za-z]+$/.test(kind));
    const by = Object.keys(all[0]?.[0] ?? {}).find(isTold);
    if (by !== undefined) found.set(name, by);
  }
  return found;
}

function pathsOf(object: object, told: ReadonlyMap<string, string>): [string, unknown][] {
  return Object.entries(object).flatMap(([name, member]: [string, unknown]) => {
    const by = told.get(name);
    if (by === undefined || !Array.isArray(member)) return leavesOf({ [name]: member }, '');
    return member
      .filter(isJsonObject)
      .flatMap((item) => leavesOf(item, `${name}[${by}=${String(item[by])}].`))
      .filter(([path]) => !path.endsWith(`.${by}`));
  });
}

/** The beginning of a JSON document, up to its last whole item, with what closes it. */
function closed(text: string): string {
  const open: string[] = [];
  let whole: string | undefined;
  for (const { 0: sign, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (sign === '[' || sign === '{') open.push(sign === '[' ? ']' : '}');
    else if (sign === ']' || sign === '}') open.pop();
    if (sign === '}' && open.length > 0) whole = text.slice(0, index + 1) + [...open].reverse().join('');
  }
  return whole ?? text;
}

interface Objects {
  property?: string;
  objects?: object[];
  /** The members of what encloses the records. */
  outside?: DraftColumn[];
}

/** Finds the objects that are records: those of the file itself, or those of a list in it. */
async function findObjects(text: Buffer): Promise<Objects> {
  const all = text.length < LOOKED_AT ? text : Buffer.from(closed(text.toString()));
  const found = await firstReadable(readObjects(Readable.from([all])), ROWS_LOOKED_AT);
  const objects = found.map(({ value }) => value as object);
  const property = objects.length === 1 ? listIn(objects[0]!) : undefined;
  if (property === undefined) return { objects };
  const path = property.endsWith('[]') ? property : `${property}[]`;
  const within = await firstReadable(readObjects(Readable.from([all]), path));
  const parts = partsOf(within, path);
  return parts.objects!.length > 0 ? parts : { objects };
}
