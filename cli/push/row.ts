import { trimmed } from '../../domain/pasted-text';

/** A day and time of a workbook's cell: no text, and of no time zone. */
export class Moment {
  /** @param ms since 1970 as if in UTC; of a time alone, since midnight */
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

/** What a cell holds: text as it stands in a text file; of JSON and workbooks a value; undefined where there is none. */
export type FileCell = unknown;

/** A cell of a workbook that has no value to be read. */
export class BadCell {
  constructor(
    readonly text: string,
    /** As in "the cell ...". */
    readonly problem: string,
  ) {}

  toString = () => this.text;
}

/** A row of a table, or an object of a JSON file. */
export interface Row {
  /** Where it begins, from 1. */
  line: number;
  cell(column: string): FileCell;
  /** Of JSON: the object. */
  value?: unknown;
  /** Its number from 1, where columns have one. */
  numberOf(column: string): number | undefined;
  /** Of JSON: the items of a list, each as a row. @returns undefined where it is not a list */
  items(path: string): Row[] | undefined;
  /** Of a workbook: a number as a date. */
  serial?: ((number: number) => Moment) | undefined;
}

/** `="000417"`, which tells spreadsheets that it is text. */
const GUARDED = /^="((?:[^"]|"")*)"$/;
const END_OF_TEXT = /\u001a/g;

/** A cell as text: trimmed, and without what programs put around it. */
export function textIn(cell: FileCell): string {
  if (cell === undefined || cell === null) return '';
  if (typeof cell !== 'string')
    return typeof cell === 'object' && !(cell instanceof Moment || cell instanceof BadCell)
      ? JSON.stringify(cell)
      : String(cell);
  const text = trimmed(cell.includes('\u001a') ? cell.replace(END_OF_TEXT, '') : cell);
  const [, guarded] = text.startsWith('="') ? (GUARDED.exec(text) ?? []) : [];
  return guarded === undefined ? text : trimmed(guarded.replaceAll('""', '"'));
}
