import { DAY_MS } from '../../domain/time/spans';
import { FileProblem } from '../file-problem';
import { decoderOf } from '../text-file/text-encoding';
import type { TableRow } from './read-rows';
import { BadCell, type FileCell, Moment, momentOf, NO_DATE } from './row';

// The plain format in which dBase, FoxPro and Clipper keep a table. The packages that read it bring encodings of their own,
// several hundred kilobytes of them, for a header of 32 bytes, a field of 32 bytes each and rows of fixed width.

interface Field {
  name: string;
  type: string;
  from: number;
  length: number;
}

const ENCODINGS: Record<number, string> = { 0x01: 'cp437', 0x02: 'cp850', 0x03: 'windows-1252', 0x57: 'windows-1252', 0x64: 'cp852', 0x65: 'ibm866', 0xc8: 'windows-1250', 0xc9: 'windows-1251' }; // prettier-ignore
const DAYS_TO_1970 = 2_440_588;
const [DELETED, LIVE] = [0x2a, 0x20];
/** The column of the mark that dBase gives to a deleted row: `*`. */
export const FLAG = '*';

/** Whether a file begins as a dBase table does. */
export const isDbf = (head: Buffer): boolean => {
  const [fields, terminator] = [head.length > 68 ? head.readUInt16LE(8) : 0, 0x0d];
  const isVersion = /^[\u0003\u0004\u0030-\u0032\u0043\u0083\u008b\u00cb\u00f5\u00fb]/.test(
    head.toString('latin1', 0, 1),
  );
  const isDay = head[2]! <= 12 && head[3]! <= 31; // of the last change
  return (
    isVersion &&
    isDay &&
    fields > 64 &&
    head.readUInt16LE(10) > 1 &&
    head.subarray(64, fields).includes(terminator)
  );
};

/**
 * Reads the rows of a dBase table. The first has the names of its fields, and `*` for the deletion mark.
 * @throws FileProblem when the file is cut off, or its encoding is neither in it nor said
 */
export async function* readDbf(chunks: AsyncIterable<Buffer>, encoding?: string): AsyncGenerator<TableRow> {
  let held = Buffer.alloc(0);
  let head: ReturnType<typeof headOf> | undefined;
  let line = 1;
  for await (const chunk of chunks) {
    held = Buffer.concat([held, chunk]);
    if (!head) {
      if (held.length < 12 || held.length < held.readUInt16LE(8)) continue;
      head = headOf(held, encoding);
      held = held.subarray(head.length);
      yield { line, cells: [FLAG, ...head.fields.map(({ name }) => name)] };
    }
    const { fields, rows, width, text } = head;
    for (; held.length >= width && line <= rows; held = held.subarray(width)) {
      line++;
      if (held[0] !== DELETED && held[0] !== LIVE)
        throw new FileProblem({ line }, 'the row has no deletion mark: the file is damaged');
      const cells = fields.map((field) =>
        cellOf(field, held.subarray(field.from, field.from + field.length), text),
      );
      yield { line, cells: [held[0] === DELETED ? FLAG : '', ...cells], serial: noSerial };
    }
  }
  if (line <= (head?.rows ?? 1))
    throw new FileProblem(
      { line },
      `the file has ${line - 1} rows of ${head?.rows ?? 0}: it was cut off. Export it again`,
    );
}

// A table has dates in fields of their own, and no number stands for one.
const noSerial = (number: number) => new BadCell(String(number), NO_DATE);

const DAMAGED = 'the header of the dBase table is damaged';
// A `B` of ten bytes is the number of a memo.
const WIDTHS: Record<string, number[]> = { I: [4], '+': [4], B: [8, 10], O: [8], Y: [8], T: [8], '@': [8] };

function checkWidth({ name, type, length }: Field): void {
  if (WIDTHS[type]?.includes(length) === false)
    throw new FileProblem({ line: 1 }, `${DAMAGED}: the field ${name} of type ${type} has ${length} bytes`);
}

function headOf(bytes: Buffer, encoding: string | undefined) {
  const [rows, length, width] = [bytes.readUInt32LE(4), bytes.readUInt16LE(8), bytes.readUInt16LE(10)];
  const fields: Field[] = [];
  let from = 1;
  for (let at = 32; at + 32 <= length && bytes[at] !== 0x0d; at += 32) {
    const name = bytes.toString('latin1', at, at + 11).replace(/\0.*$/s, '');
    const field = { name, type: String.fromCharCode(bytes[at + 11]!), from, length: bytes[at + 16]! };
    if (field.type === 'C') field.length += 256 * bytes[at + 17]!; // a long text has no decimals
    checkWidth(field);
    from += field.length;
    if (field.type !== '0') fields.push(field); // of FoxPro's own
  }
  if (from > width || fields.length === 0) throw new FileProblem({ line: 1 }, DAMAGED);
  const decode = decoderOf(encoding ?? ENCODINGS[bytes[29]!] ?? 'us-ascii');
  const isSaid = encoding !== undefined || ENCODINGS[bytes[29]!] !== undefined;
  const text = (bytes: Buffer): FileCell =>
    !isSaid && bytes.some((byte) => byte > 127)
      ? new BadCell(decoderOf('cp437')(bytes).trim(), UNSAID)
      : decode(bytes).trim();
  return { rows, length, width, fields, text };
}

const UNSAID =
  'has letters whose encoding the table does not say (shown in cp437): say "encoding": "cp437" or "windows-1252" in the "dialect"';

function cellOf({ type }: Field, bytes: Buffer, text: (bytes: Buffer) => FileCell): FileCell {
  if (type === 'C') return text(bytes);
  if (type === 'I' || type === '+') return bytes.readInt32LE(0);
  if (type === 'O' || (type === 'B' && bytes.length === 8)) return figureOf(bytes.readDoubleLE(0));
  if (type === 'Y') return Number(bytes.readBigInt64LE(0)) / 10_000;
  if (type === 'T' || type === '@') return timeOf(bytes);
  const plain = bytes.toString('latin1').trim();
  if (plain === '' || plain === '?') return undefined;
  if (type === 'D') return dayOf(plain);
  if (/^\*+$/.test(plain) && /[NF]/.test(type))
    return new BadCell(plain, 'is a number that its field cannot hold');
  return /[NFL]/.test(type) ? plain : new BadCell(plain, 'is a memo, which is kept in another file');
}

const figureOf = (value: number): FileCell =>
  Number.isFinite(value) ? value : new BadCell(String(value), 'is not a number');

function dayOf(text: string): FileCell {
  const [year, month, day] = [text.slice(0, 4), text.slice(4, 6), text.slice(6)].map(Number);
  const moment = momentOf(Date.UTC(year!, month! - 1, day), 'day', text);
  // Date.UTC makes 3 March of 31 February.
  const isSame = moment instanceof Moment && moment.parts()[0].replaceAll('-', '') === text;
  return isSame ? moment : new BadCell(text, NO_DATE);
}

/** Reads the Julian day, and the milliseconds of it. */
function timeOf(bytes: Buffer): FileCell {
  if (bytes.every((byte) => byte === 0 || byte === LIVE)) return undefined;
  const [days, ms] = [bytes.readInt32LE(0), bytes.readInt32LE(4)];
  const text = `day ${days}, ${ms} ms`;
  if (ms < 0 || ms >= DAY_MS) return new BadCell(text, NO_DATE);
  return momentOf((days - DAYS_TO_1970) * DAY_MS + ms, 'both', text);
}
