import { parse } from 'csv-parse/sync';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject } from '../../domain/records/strict-json';
import { csvRow, inertCell, UTF8_MARK } from '../../domain/text/inert-cell';
import { CliError, EXIT, fileRefused } from '../cli-error';
import { parseJson } from '../parse-json';

/** A record as a page shows it. */
export type FedRecord = Readonly<Record<string, unknown>> & {
  id: string;
  updated_at: string;
  deleted_at: string | null;
};

const FIRST = ['id', 'updated_at'];

interface Row {
  updatedAt: string;
  /** Its cells as CSV; columns that came later are missing. */
  line: string;
  cells: number;
}

/**
 * One CSV file that a spreadsheet opens: a row for each record of a type that is not deleted. An object within a record has a
 * column for each of its members (`account.id`), a list is JSON in one cell, and a field that is new has a new last column.
 */
export class RecordTable {
  private constructor(
    private readonly file: string,
    private readonly columns: string[],
    private readonly rows: Map<string, Row>,
  ) {}

  /** @throws CliError when the file is none of ours */
  static async open(folder: string, type: string): Promise<RecordTable> {
    const file = path.join(folder, `${type}.csv`);
    await mkdir(folder, { recursive: true }).catch(
      fileRefused(`the folder ${folder} cannot be made`, 'check --into'),
    );
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      return fileRefused(`${file} cannot be read`, 'check its rights')(error);
    });
    const [names = [...FIRST], ...lines] = readCsv(text, file);
    if (FIRST.some((name, at) => names[at] !== name)) throw notOurs(file);
    await rm(draftOf(file), { force: true }).catch(notWritten(file)); // a kill left it: it may have what is deleted
    return new RecordTable(file, names, new Map(lines.map((cells) => [cells[0]!, rowOf(cells)])));
  }

  get size(): number {
    return this.rows.size;
  }

  /** A version gives way only to one that is not older: a page may come twice. */
  take(record: FedRecord): void {
    const id = inertCell(record.id);
    const held = this.rows.get(id);
    if (held && held.updatedAt > record.updated_at) return;
    if (record.deleted_at !== null) return void this.rows.delete(id);
    const cells = new Map(cellsOf(record));
    for (const name of cells.keys()) if (!this.columns.includes(name)) this.columns.push(name);
    this.rows.set(id, rowOf(this.columns.map((name) => cells.get(name) ?? '')));
  }

  /** Drops what names one of these accounts, and none that is shared. @returns how many rows */
  drop(accounts: ReadonlySet<string>, shared: ReadonlySet<string>): number {
    const before = this.rows.size;
    for (const [id, { line }] of this.rows) {
      const named = [id, ...this.accountsIn(line)];
      if (named.some((one) => accounts.has(one)) && !named.some((one) => shared.has(one)))
        this.rows.delete(id);
    }
    return before - this.rows.size;
  }

  /** The accounts that a row names. */
  private accountsIn(line: string): string[] {
    const cells = readCsv(line, this.file)[0]!;
    const cell = (name: string) => cells[this.columns.indexOf(name)];
    const named = LISTS.flatMap((name) => accountsOf(parseJson(cell(name) ?? '')));
    return [cell('account.id'), ...named].filter((id) => id !== undefined);
  }

  /** Whoever reads the file sees what was before or all of this, also where the machine stops. @throws CliError */
  async save(): Promise<void> {
    const draft = draftOf(this.file);
    try {
      const handle = await open(draft, 'w');
      try {
        let text = UTF8_MARK + csvRow(this.columns);
        for (const { line, cells } of this.rows.values()) {
          text += `${line}${','.repeat(this.columns.length - cells)}\r\n`;
          if (text.length < WRITTEN_AT_ONCE) continue;
          await handle.write(text);
          text = '';
        }
        await handle.write(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, this.file);
    } catch (error) {
      notWritten(this.file)(error);
    }
  }
}

const draftOf = (file: string) => `${file}.new`;

const notWritten = (file: string) =>
  fileRefused(`${file} cannot be written`, 'close it where it is open, and see that the disk has room');

const WRITTEN_AT_ONCE = 1024 * 1024;

/** The lists whose items name accounts. */
const LISTS = ['splits', 'payees'];

/** The accounts that a list names; none where an ERP's field of that name is something else. */
const accountsOf = (list: unknown) =>
  Array.isArray(list)
    ? (list as ({ account?: { id?: string } } | null)[]).map((item) => item?.account?.id)
    : [];

const rowOf = (cells: readonly string[]): Row => ({
  updatedAt: cells[1]!,
  line: csvRow(cells).slice(0, -2),
  cells: cells.length,
});

function readCsv(text: string, file: string): string[][] {
  if (text === '') return [];
  try {
    return parse(text, { bom: true, record_delimiter: '\r\n' });
  } catch (cause) {
    throw notOurs(file, cause);
  }
}

const notOurs = (file: string, cause?: unknown) =>
  new CliError(
    `${file} is not a table that collect has written`,
    'name another folder by --into; if a spreadsheet has saved into it, move it away and reset its type',
    EXIT.usage,
    { cause },
  );

function* cellsOf(object: Readonly<Record<string, unknown>>, within = ''): Generator<[string, string]> {
  if (within === '') for (const name of FIRST) yield [name, String(object[name])];
  for (const [key, value] of Object.entries(object)) {
    const name = within + key;
    if (isJsonObject(value)) yield* cellsOf(value, `${name}.`);
    else if (value !== null && name !== 'deleted_at')
      yield [inertCell(name), Array.isArray(value) ? JSON.stringify(value) : String(value)];
  }
}
