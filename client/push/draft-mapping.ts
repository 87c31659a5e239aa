import { Readable } from 'node:stream';
import { addTo } from '../../domain/records/add-to';
import type { RecordType } from '../../domain/records/commands';
import { FileProblem } from '../file-problem';
import { plainText, readChunks } from '../text-file/plain-text';
import { isJsonObject } from '../../domain/records/strict-json';
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
  const format = formatOf(file, head, {});
  if (format === 'xlsx') {
    const dialect = sheet === undefined ? {} : { sheet_name: sheet };
    const rows = readWorkbook(readChunks(file), { type, dialect }, new Reading());
    return ofTable(await firstOf(rows), type, dialect);
  }
  if (format === 'dbf') return ofTable(await firstOf(readDbf(readChunks(file))), type, {});
  const { text, ...encoding } = await textOf(head);
  if (format === 'xml') return ofXml(text, type);
  if (format === 'json' || format === 'ndjson') return ofObjects(await findObjects(text), type);
  const fixed = fixedIn(text.toString(), /\.(csv|tsv|tab)$/i.test(file));
  if (fixed) return ofTable(fixed.rows, type, { ...encoding, ...fixed.dialect });
  const tables = await Promise.all(
    DELIMITERS.map(async (delimiter) => ({ delimiter, rows: await firstRows(text, delimiter) })),
  );
  const widest = (rows: readonly TableRow[]) => Math.max(0, ...rows.map(({ cells }) => filled(cells)));
  const { rows, delimiter } = tables.reduce((one, other) =>
    widest(other.rows) > widest(one.rows) ? other : one,
  );
  return ofTable(rows, type, { ...(delimiter !== ',' && { delimiter }), ...encoding });
}

/** Decodes by a byte order mark, as UTF-8 if it is valid, otherwise as windows-1252. */
async function textOf(head: Buffer): Promise<{ text: Buffer; encoding?: string }> {
  const isAll = head.length < LOOKED_AT;
  const end = isAll ? head.length : head.lastIndexOf('\n') + 1 || head.length;
  const read = async (encoding?: string) => {
    let unread: FileProblem | undefined;
    const text = plainText(Readable.from([head.subarray(0, end)]), encoding);
    const found = await firstReadable(text, Infinity, (problem) => (unread = problem));
    if (unread && (isAll || found.length === 0)) throw unread; // otherwise the last character is cut off
    return Buffer.concat(found);
  };
  try {
    return { text: await read() };
  } catch (error) {
    if (!(error instanceof FileProblem) || !error.message.includes('is not UTF-8')) throw error;
    return { text: await read('windows-1252'), encoding: 'windows-1252' };
  }
}

const firstOf = (rows: AsyncIterable<TableRow>) =>
  firstReadable(rows, ROWS_LOOKED_AT, (problem) => {
    throw problem;
  });

const RULER = /^\s*[-=]{2,}(?:\s+[-=]{2,})+\s*$/;
const HEADING = /^\D*\p{L}\D*\s{2,}\D*\p{L}\D*$/u;
const TOTAL = /\btotals?\b/i;
const OF_THOUSANDS = /(?<=\d),(?=\d{3}(?!\d))/g;

type Span = [from: number, to: number];

/** Columns of fixed width: below a line of dashes, below names with the same blanks between them in all lines, or without names. */
function fixedIn(
  text: string,
  isNamed: boolean,
): { rows: TableRow[]; dialect: Mapping['dialect'] } | undefined {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
  const ruler = lines.findIndex((line) => RULER.test(line));
  if (ruler < 1 && (isNamed || isDelimited(lines))) return undefined;
  const heading = ruler < 1 ? lines.findIndex((line) => HEADING.test(line)) : ruler - 1;
  const below = lines.slice(Math.max(heading, ruler) + 1);
  const alike = heading < 0 ? mostOfOneKind(lines) : below.filter((line) => !TOTAL.test(line));
  const ofSigns = () =>
    heading < 0 ? spansOf(alike) : widened(namedIn(lines[heading]!, spansOf(alike, lines[heading])), alike);
  const spans = ruler < 1 ? ofSigns() : spansOf([lines[ruler]!]);
  if (spans.length < 2 || alike.length < 2) return undefined;
  const cellsOf = (line: string) => spans.map(([from, to]) => line.slice(from - 1, to).trim());
  const names = heading < 0 ? spans.map(([from]) => `at ${from}`) : cellsOf(lines[heading]!);
  const others = lines.filter((line, at) => at !== heading && !alike.includes(line));
  const short_rows = Math.max(0, ...below.map((line) => spans.filter(([, to]) => to > line.length).length));
  return {
    rows: [names, ...[...alike, ...others].map(cellsOf)].map((cells, at) => ({ line: at + 1, cells })),
    dialect: {
      format: 'fixed',
      columns: Object.fromEntries(spans.map((span, at) => [names[at], span])),
      ...(short_rows > 0 && { short_rows }),
    },
  };
}

const isDelimited = (lines: readonly string[]) =>
  DELIMITERS.some((sign) => 2 * lines.filter((line) => line.replace(OF_THOUSANDS, '').includes(sign)).length >= lines.length); // prettier-ignore

/** The lines that begin with the same sign as most do. */
function mostOfOneKind(lines: readonly string[]): string[] {
  const kinds = new Map<string, string[]>();
  for (const line of lines) addTo(kinds, line.charAt(0), line);
  return [...kinds.values()].reduce((one, other) => (other.length > one.length ? other : one), []);
}

/** Where signs of one kind stand in all lines: letters, or figures. With a heading, all that stands between blanks. */
function spansOf(lines: readonly string[], heading?: string): Span[] {
  const all = [...lines, heading ?? ''];
  const kinds = Array.from({ length: Math.max(...all.map(({ length }) => length)) }, (_, at) => {
    const signs = all
      .map((line) => line.charAt(at))
      .join('')
      .trim();
    return signs === '' ? ' ' : heading === undefined && /^[\p{L}\s]+$/u.test(signs) ? 'a' : '0';
  });
  return [...kinds.join('').matchAll(/a+|0+/g)].map(({ 0: run, index }): Span => [
    index + 1,
    index + run.length,
  ]);
}

/** Without a name of its own it is the rest of the one before. */
const namedIn = (heading: string, spans: readonly Span[]): Span[] =>
  spans.reduce<Span[]>((named, [from, to]) => {
    const isOwn = named.length === 0 || heading.slice(from - 1, to).trim() !== '';
    return isOwn ? [...named, [from, to]] : [...named.slice(0, -1), [named.at(-1)![0], to]];
  }, []);

/** With the blanks into which a longer value would reach: before figures, behind words. */
const widened = (spans: readonly Span[], lines: readonly string[]): Span[] => {
  const isRight = ([from, to]: Span) => {
    const cells = lines.map((line) => line.slice(from - 1, to)).filter((cell) => cell.trim() !== '');
    return cells.every((cell) => cell.length > to - from && !cell.endsWith(' '));
  };
  return spans.map((span, at): Span => {
    const [before, next] = [spans[at - 1], spans[at + 1]];
    if (isRight(span)) return [before ? before[1] + 1 : 1, span[1]];
    return [span[0], next && !isRight(next) ? next[0] - 1 : span[1]];
  });
};

const filled = (cells: readonly unknown[]) => new Set(cells.map(textIn).filter((text) => text !== '')).size;

const FIGURES = /^[\d\s.,:/()$%-]*\d[\d\s.,:/()$%-]*$/;
const isWords = (cells: readonly unknown[]) =>
  cells.every((cell) => cell === undefined || (typeof cell === 'string' && !FIGURES.test(textIn(cell))));

/** Whether a cell comes as often as it has columns below it. */
const hasMerged = ({ cells }: TableRow) =>
  cells.map(textIn).some((text, at, all) => at > 0 && text !== '' && text === all[at - 1]);

/** Drafts for a table. Its heading is the first of the rows of words with the most different cells, or such two. */
function ofTable(rows: readonly TableRow[], type: RecordType, dialect: Mapping['dialect'] & object): Mapping {
  if (rows.length === 0) throw new FileProblem({ line: 1 }, 'the file has no heading');
  const words = rows.filter(({ cells }) => isWords(cells) && filled(cells) > 1);
  const most = Math.max(...words.map(({ cells }) => filled(cells)));
  const best = words.find(({ cells }) => filled(cells) === most);
  const pair = words.filter(({ line }) => best && Math.abs(line - best.line) <= 1).slice(0, 2);
  const isPair = pair.length === 2 && hasMerged(pair[0]!);
  const heading = isPair ? pair : best ? [best] : [];
  const last = heading.at(-1);
  const names = last
    ? joinNames(heading.map(({ cells }) => cells)).map(nameOf)
    : rows[0]!.cells.map((_, at) => String(at + 1));
  const records = rows
    .slice(last ? rows.indexOf(last) + 1 : 0)
    .filter(({ cells }) => !names.every((name, at) => name === nameOf(cells[at])));
  const columns = names.map((name, at) => {
    const before = names.slice(0, at).filter((other) => other === name).length;
    const isOne = before === 0 && !names.includes(name, at + 1);
    return { name: isOne ? name : `${name}#${before + 1}`, values: records.map(({ cells }) => cells[at]) };
  });
  const all = {
    ...dialect,
    ...(isPair && { header_rows: pair.map(({ line }) => line) }),
    ...(!last && { header: false }),
  };
  const named = columns.filter((_, at) => names[at] !== '');
  return {
    type,
    ...(Object.keys(all).length > 0 && { dialect: all }),
    ...new RecordDraft(named, type, dialect.sheet_name !== undefined).made(),
  };
}

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
  for (const object of objects)
    for (const [path, value] of leavesOf(object, '')) addTo(values, path.replace(`.${TEXT}`, ''), value);
  // One object may stand for a list of it.
  const inLists = new Set(
    [...values.keys()].map((name) => (name.includes('[]') ? name.replace('[]', '') : '')),
  );
  const columns = [...values]
    .filter(([name]) => !inLists.has(name))
    .map(([name, of]) => ({ name, values: of, isPath: true }));
  return {
    type,
    ...(property && { dialect: { property } }),
    ...new RecordDraft([...columns, ...outside], type, false).made(),
  };
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
