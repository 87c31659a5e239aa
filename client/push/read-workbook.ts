import { DAY_MS } from '../../domain/time/spans';
import { FileProblem } from '../file-problem';
import type { Mapping } from './mapping-schema';
import { hear, openParts, type WorkbookParts, textOfPart } from './open-workbook';
import { MOST_CELLS, type TableRow } from './read-rows';
import type { Reading } from './reading';
import { BadCell, type FileCell, type Moment, momentOf, Percent } from './row';

// Excel keeps fifteen digits of a number, and so many characters of a text or a format.
const MOST_DIGITS = 1e15;
const MOST_CHARACTERS = 32_767;
const MOST_OF_FORMAT = 255;
const SHOWN_SHEETS = 20;

type Shows = Moment['shows'];

/**
 * Reads the rows of one sheet with the stored value of each cell. Its format counts only for numbers that are dates or
 * have fixed digits. @throws FileProblem
 */
export async function* readWorkbook(
  chunks: AsyncIterable<Buffer>,
  { dialect = {} }: Mapping,
  seen: Reading,
): AsyncGenerator<TableRow> {
  const parts = await openParts(chunks);
  const { part, is1904 } = await findSheet(parts, dialect.sheet_name);
  const merges = await mergesOf(parts, part);
  const sheet = new Sheet(await stringsOf(parts), await formatsOf(parts), is1904);
  const room = new Room();
  for await (const _ of hear(textOfPart(parts, part), sheet)) {
    for (const row of sheet.take()) {
      room.take(row, row.cells.length);
      yield { ...row, cells: merges.fill(row, room) };
    }
  }
  if (sheet.hidden > 0)
    seen.remarks.push(
      `${sheet.hidden} hidden row${sheet.hidden === 1 ? '' : 's'} of the sheet count${sheet.hidden === 1 ? 's' : ''} like any other`,
    );
}

/** Finds the sheet that the mapping names, or the only visible one. */
async function findSheet(
  parts: WorkbookParts,
  wanted: string | undefined,
): Promise<{ part: string; is1904: boolean }> {
  const sheets: Record<string, string>[] = [];
  const targets = new Map<string, string>();
  let is1904 = false;
  if (!parts.entries.has('xl/workbook.xml'))
    throw new FileProblem(
      undefined,
      'the file is a zip, and not an .xlsx workbook: unpack it, and push the file in it',
    );
  const ofWorkbook = (name: string, attributes: Record<string, string>) => {
    if (name === 'sheet') sheets.push(attributes);
    if (name === 'workbookPr') is1904 = /^(1|true)$/.test(attributes['date1904'] ?? '');
  };
  for await (const _ of hear(textOfPart(parts, 'xl/workbook.xml'), { open: ofWorkbook }));
  const ofRelations = (_: string, { Id = '', Target = '' }: Record<string, string>) =>
    void targets.set(Id, Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`);
  for await (const _ of hear(textOfPart(parts, 'xl/_rels/workbook.xml.rels'), { open: ofRelations }));
  const shown = sheets.filter(({ state = 'visible' }) => state === 'visible');
  const named = wanted === undefined ? shown : sheets.filter(({ name }) => name === wanted);
  const part = named.length === 1 ? targets.get(named[0]!['id'] ?? '') : undefined;
  if (part !== undefined && parts.entries.has(part)) return { part, is1904 };
  const some = (wanted === undefined ? shown : sheets).slice(0, SHOWN_SHEETS);
  const names = some.map(({ name }) => JSON.stringify(name)).join(', ');
  throw new FileProblem(
    undefined,
    `${wanted === undefined ? 'the workbook has several sheets' : `the workbook has no sheet ${JSON.stringify(wanted)}`}: say one of ${names} by "sheet_name" in the "dialect", or for a draft by --sheet`,
  );
}

// As ST_Xstring writes what XML cannot hold; programs write a line end of Windows so.
const unescaped = (text: string): string =>
  text.includes('_x')
    ? text
        .replace(/_x([\da-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
        .replace(/\r\n?/g, '\n')
    : text;

const TOO_LONG = new BadCell('...', 'is longer than the text of a cell can be');

/** Reads the shared texts of cells, without their phonetic hints. */
async function stringsOf(parts: WorkbookParts): Promise<(string | BadCell)[]> {
  const strings: (string | BadCell)[] = [];
  let [text, isText, aids] = ['', false, 0];
  const open = (name: string) => {
    if (name === 'si') text = '';
    if (name === 'rPh') aids++;
    isText = name === 't' && aids === 0;
  };
  const close = (name: string) => {
    if (name === 'si') strings.push(text.length > MOST_CHARACTERS ? TOO_LONG : unescaped(text));
    if (name === 'rPh') aids--;
    isText = false;
  };
  const heard = { open, close, text: (piece: string) => void (isText && (text += piece)) };
  for await (const _ of hear(textOfPart(parts, 'xl/sharedStrings.xml'), heard));
  return strings;
}

/** The format of a cell style: a date or time, a percentage, or a number of digits; undefined for a plain number. */
type Format = Shows | 'percent' | number | undefined;

async function formatsOf(parts: WorkbookParts): Promise<Format[]> {
  const codes = new Map<string, Format>();
  const formats: Format[] = [];
  let isInCells = false;
  const open = (name: string, { numFmtId = '', formatCode = '' }: Record<string, string>) => {
    if (name === 'numFmt') codes.set(numFmtId, formatOf(numFmtId, formatCode.slice(0, MOST_OF_FORMAT)));
    if (name === 'cellXfs') isInCells = true;
    if (name === 'xf' && isInCells)
      formats.push(codes.has(numFmtId) ? codes.get(numFmtId) : formatOf(numFmtId, undefined));
  };
  const close = (name: string) => void (name === 'cellXfs' && (isInCells = false));
  for await (const _ of hear(textOfPart(parts, 'xl/styles.xml'), { open, close }));
  return formats;
}

const isBetween = (id: number, ...spans: [from: number, to: number][]) =>
  spans.some(([from, to]) => id >= from && id <= to);

function formatOf(id: string, code: string | undefined): Format {
  const number = Number(id);
  if (code === undefined && isBetween(number, [18, 21], [45, 47])) return 'time';
  if (code === undefined && number === 22) return 'both';
  if (code === undefined && isBetween(number, [9, 10])) return 'percent';
  if (code === undefined && isBetween(number, [14, 17], [27, 36], [50, 58])) return 'day';
  const [first = ''] = (code ?? '').replace(/"[^"]*"|\\.|_.|\*./g, '').split(';');
  if (/^0{2,}$/.test(first)) return first.length;
  if (first.includes('%')) return 'percent';
  const plain = first
    .replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '')
    .replace(/General|AM\/PM|A\/P/gi, (part) => (part === 'General' ? '' : 'h'));
  const [hasTime, hasDay] = [
    /[hs]/i.test(plain),
    /[yd]/i.test(plain) || (/m/i.test(plain) && !/[hs]/i.test(plain)),
  ];
  return hasTime ? (hasDay ? 'both' : 'time') : hasDay ? 'day' : undefined;
}

// A sheet that somebody keeps has cells side by side, and its merged cells lie over them.
const MOST_FREE = 4_000_000;
const MOST_A_CELL = 200;

/** Counts the places that a sheet takes: a few bytes can merge whole columns, or put a cell into the last one. */
class Room {
  private left = MOST_FREE;

  /** @throws FileProblem when rows and merged cells take far more places than the sheet has cells */
  take({ line, cells }: TableRow, places: number): void {
    for (const cell of cells) if (cell !== undefined) this.left += MOST_A_CELL;
    this.left -= places;
    if (this.left >= 0) return;
    throw new FileProblem(
      { line },
      'the sheet takes far more places than it has cells: end its merged cells where its rows end, or export it as CSV',
    );
  }
}

interface Merge {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

/** Finds merged cells, whose value counts for all of them. They are stored after the rows, so they are read first. */
async function mergesOf(parts: WorkbookParts, part: string) {
  const merges: Merge[] = [];
  let rest = '';
  for await (const piece of textOfPart(parts, part)) {
    const text = rest + piece;
    for (const [, left = '', top, right = '', bottom] of text.matchAll(
      /<(?:\w+:)?mergeCell\s[^<>]*?ref="([A-Z]+)(\d+):([A-Z]+)(\d+)"[^>]*>/g,
    ))
      merges.push({
        top: Number(top),
        bottom: Number(bottom),
        left: columnOf(left),
        right: Math.min(columnOf(right), MOST_CELLS),
      });
    rest = text.slice(Math.max(text.lastIndexOf('<'), text.length - 1_000));
  }
  merges.sort((one, other) => one.top - other.top);
  let next = 0;
  let open: (Merge & { value?: FileCell })[] = [];
  return {
    fill({ line, cells }: TableRow, room: Room): readonly FileCell[] {
      while (next < merges.length && merges[next]!.top <= line) open.push(merges[next++]!);
      open = open.filter(({ bottom }) => bottom >= line);
      if (open.length === 0) return cells;
      const filled = [...cells];
      for (const merge of open) {
        room.take({ line, cells: [] }, merge.right - merge.left + 1);
        if (merge.top === line) merge.value = cells[merge.left];
        for (let at = merge.left; at <= merge.right; at++) filled[at] ??= merge.value;
      }
      return filled;
    },
  };
}

const columnOf = (letters: string) =>
  [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;

/** Builds the rows of a sheet from the elements of its XML. */
class Sheet {
  hidden = 0;
  private rows: TableRow[] = [];
  private line = 0;
  private cells: FileCell[] = [];
  private at = -1;
  private cell: { type: string; style: number; name: string } = { type: 'n', style: 0, name: '' };
  private value: string | undefined;
  private formula: string | undefined;
  private aids = 0;
  /** The element that the text belongs to. */
  private within: 'v' | 'f' | 't' | undefined;

  constructor(
    private readonly strings: readonly (string | BadCell)[],
    private readonly formats: readonly Format[],
    private readonly is1904: boolean,
  ) {}

  /** Takes the finished rows. Rows without any value are dropped. */
  take(): TableRow[] {
    const { rows } = this;
    this.rows = [];
    return rows;
  }

  open(name: string, { r, t = 'n', s = '0', hidden = '' }: Record<string, string>): void {
    if (name === 'row') {
      this.line = r === undefined ? this.line + 1 : Number(r);
      [this.cells, this.at] = [[], -1];
      if (/^(1|true)$/.test(hidden)) this.hidden++;
    } else if (name === 'c') {
      this.at = r === undefined ? this.at + 1 : columnOf(r.replace(/\d/g, ''));
      if (!(this.at >= 0 && this.at < MOST_CELLS))
        throw new FileProblem({ line: this.line }, `there is no cell ${r}`);
      this.cell = { type: t, style: Number(s), name: r ?? '' };
      [this.value, this.formula] = [undefined, undefined];
    } else if (name === 'rPh') this.aids++;
    else if (name === 'v' || name === 'f' || (name === 't' && this.aids === 0)) {
      this.within = name;
      if (name === 'f') this.formula = '';
      else this.value ??= '';
    }
  }

  text(text: string): void {
    if (this.within === 'f') this.formula += text;
    else if (this.within) this.value += text;
  }

  close(name: string): void {
    this.within = undefined;
    if (name === 'rPh') this.aids--;
    if (name === 'c') {
      const cell = this.read();
      if (cell !== undefined) this.cells[this.at] = cell;
    }
    if (name !== 'row' || this.cells.every((cell) => cell === undefined || cell === '')) return;
    this.rows.push({
      line: this.line,
      cells: Array.from(this.cells),
      serial: (number) => this.moment(number, undefined),
    });
  }

  private read(): FileCell {
    const { type, style, name } = this.cell;
    if (this.value === undefined || (this.value === '' && type === 'n'))
      return this.formula === undefined
        ? undefined
        : new BadCell(`=${this.formula} in ${name}`, 'has no stored result');
    if (type === 'e') return new BadCell(this.value, `is an error of the workbook, in ${name}`);
    if (type === 's')
      return (
        this.strings[Number(this.value)] ?? new BadCell(name, 'is a text that the workbook does not have')
      );
    if (type === 'b') return this.value === '1';
    if (type !== 'n') return unescaped(this.value);
    const number = Number(this.value);
    if (!Number.isFinite(number)) return new BadCell(this.value, `is not a number, in ${name}`);
    const format = this.formats[style];
    if (typeof format === 'number')
      return Number.isInteger(number) && number >= 0 ? String(number).padStart(format, '0') : number;
    // The product of 0.155 and 100 has more digits than were typed.
    if (format === 'percent') return new Percent(Number((number * 100).toPrecision(15)));
    if (format) return this.moment(number, format);
    return Math.abs(number) >= MOST_DIGITS
      ? new BadCell(String(number), `has more digits than a workbook keeps, in ${name}`)
      : number;
  }

  /** Converts a number to a date in the workbook's date system. */
  private moment(serial: number, format: Shows | undefined): Moment | BadCell {
    const isTime = serial >= 0 && serial < 1 && format !== 'day';
    // The 1900 system has a 29 February 1900, which never existed.
    const epoch = this.is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < 60 ? 31 : 30);
    const ms = Math.round(serial * DAY_MS) + (isTime ? 0 : epoch);
    const shows = isTime ? 'time' : format === 'day' || Number.isInteger(serial) ? 'day' : 'both';
    return momentOf(ms, shows, String(serial));
  }
}
