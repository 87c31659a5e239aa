import { trimmed } from '../../domain/text/pasted-text';

/** A day and time from a workbook's cell. It is not text and has no time zone. */
export class Moment {
  /** @param ms since 1970 as if in UTC; for a time alone, since midnight */
  constructor(
    readonly ms: number,
    readonly shows: 'day' | 'time' | 'both',
  ) {}

  /** `2026-10-05` and `08:04:11.213` */
  parts(): [day: string, time: string] {
    return new Date(Math.round(this.ms)).toISOString().slice(0, -1).split('T') as [string, string];
  }

  toString(): string {
    const [day, time] = this.parts();
    const short = time.replace(/\.000$/, '');
    return { day, time: short, both: `${day} ${short}` }[this.shows];
  }
}

/** A figure that a workbook shows as a percentage: 15.5, and not 0.155. */
export class Percent {
  constructor(readonly value: number) {}

  toString = () => `${this.value}%`;
}

const [FIRST_MS, END_MS] = [Date.parse('0001-01-01'), Date.parse('+010000-01-01')];

/** The moment of a cell; a bad cell where no calendar of four-digit years has it. */
export const momentOf = (ms: number, shows: Moment['shows'], text: string): Moment | BadCell =>
  ms >= FIRST_MS && ms < END_MS ? new Moment(ms, shows) : new BadCell(text, NO_DATE);

export const NO_DATE = 'is not a date';

const isShown = (cell: object): boolean =>
  cell instanceof Moment || cell instanceof BadCell || cell instanceof Percent;

/** The content of a cell: the text of a text file; the value of JSON or a workbook; undefined for none. */
export type FileCell = unknown;

/** A cell of a workbook without a readable value. */
export class BadCell {
  constructor(
    readonly text: string,
    /** The problem, to follow "the cell". */
    readonly problem: string,
  ) {}

  toString = () => this.text;
}

/** A row of a table, or an object of a JSON file. */
export interface Row {
  /** The line in which it begins, from 1. */
  line: number;
  cell(column: string): FileCell;
  /** The object, if the file is JSON. */
  value?: unknown;
  /** The number of a column from 1, in a file that has columns. */
  numberOf?(column: string): number | undefined;
  /** The items of a list in JSON, each as a row. One item stands for a list of it. */
  items?(path: string): Row[];
  /** Whether the row ends before the whole of a column that it should have. */
  lacks?: ((column: string) => boolean) | undefined;
  /** The last row of a text, without a line end. */
  isCut?: boolean;
  /** Converts a number of a workbook to a date. */
  serial?: ((number: number) => Moment | BadCell) | undefined;
}

/** The cells of a row as text, by column. */
export const cellsOf = (row: Row, columns: readonly string[]): Record<string, string> =>
  Object.fromEntries(columns.map((column) => [column, textIn(row.cell(column))]));

/** `="000417"`: the form that tells a spreadsheet to keep it as text. */
const GUARDED = /^="((?:[^"]|"")*)"$/;
const END_OF_TEXT = /\u001a/g;

/** A cell as text, trimmed and without the marks that programs put around it. */
export function textIn(cell: FileCell): string {
  if (cell === undefined || cell === null) return '';
  if (typeof cell !== 'string')
    return typeof cell === 'object' && !isShown(cell) ? JSON.stringify(cell) : String(cell);
  const text = trimmed(cell.includes('\u001a') ? cell.replace(END_OF_TEXT, '') : cell);
  const [, guarded] = text.startsWith('="') ? (GUARDED.exec(text) ?? []) : [];
  return guarded === undefined ? text : trimmed(guarded.replaceAll('""', '"'));
}
