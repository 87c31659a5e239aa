import { escaped, escapedLines } from '../domain/text/escaped';
import { formatInstant } from '../domain/time/instants';

/** All output goes through here or `note`, which escape it: names come from ERPs. */
const print = (text: string) => void process.stdout.write(escapedLines(text));

/** `gdx deliveries acme | head` closes the pipe early. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}

/** The document of `--json`, the only output on stdout. Lists are `{ "data": [...] }`, as in the API. */
export function printJson(document: object): void {
  print(formatJson(document));
}

export const formatJson = (document: object) => `${JSON.stringify(document, null, 2)}\n`;

export type Cell = string | number | boolean | Date | null | undefined | readonly string[];

export const formatCount = (count: number): string => count.toLocaleString('en-US');

/** One value, human-readable; instants are in UTC. */
export function formatCell(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return '-';
  if (typeof cell === 'number') return formatCount(cell);
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (cell instanceof Date) return formatInstant(cell);
  const text = typeof cell === 'string' ? cell : cell.join(', ') || '-';
  return escaped(text);
}

/** Settings in one line: "cadence_ms: 1,800,000, name: Acme". */
export const sayBefore = (settings: Record<string, Cell>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}: ${formatCell(value)}`)
    .join(', ');

function formatFacts(facts: Record<string, Cell>): string {
  const width = Math.max(...Object.keys(facts).map((name) => name.length));
  const lines = Object.entries(facts).map(([name, cell]) => `${name.padEnd(width)}  ${formatCell(cell)}\n`);
  return lines.join('');
}

const terminalWidth = () => (process.stdout.isTTY ? process.stdout.columns : Infinity);

/**
 * One line per row below the keys as headings, numbers right-aligned. Every row has the keys of the first. Where that is wider
 * than the terminal, each row is a list of what it has: a line that a terminal breaks is not read, and an id in two parts not copied.
 */
export function formatTable(rows: Record<string, Cell>[], mostWidth = terminalWidth()): string {
  const titles = Object.keys(rows[0] ?? {});
  const columns = titles.map((title) => {
    const cells = rows.map((row) => formatCell(row[title]));
    return {
      lines: [title.toUpperCase(), ...cells],
      width: Math.max(title.length, ...cells.map((cell) => cell.length)),
      toTheRight: rows.every((row) => typeof row[title] === 'number'),
    };
  });
  const line = (index: number) =>
    columns
      .map(({ lines, width, toTheRight }) => {
        const cell = lines[index] as string;
        return toTheRight ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  const lines = titles.length === 0 ? [] : [-1, ...rows.keys()].map((row) => line(row + 1));
  if (lines.every(({ length }) => length <= mostWidth)) return lines.map((text) => `${text}\n`).join('');
  const said = (row: Record<string, Cell>) =>
    formatFacts(Object.fromEntries(Object.entries(row).filter(([, cell]) => formatCell(cell) !== '-')));
  return rows.map(said).join('\n');
}

let isStamped = false;

/** Begins each later remark with its time, for a command that keeps running. */
export function stampNotes(): void {
  isStamped = true;
}

export const stamped = (line: string): string =>
  `${isStamped ? `${formatInstant(new Date())} ` : ''}${escaped(line)}\n`;

/** A remark for the operator, on stderr: stdout stays machine-readable. */
export function note(line: string): void {
  process.stderr.write(stamped(line));
}

/** Prints what a sample writes to the console, as it also runs alone. */
export function printConsole(): void {
  console.log = (line: string) => print(`${line}\n`);
  console.error = note;
}

export const noteWait = (why: string, waitMs: number) =>
  note(`${why}: trying again in ${Math.ceil(waitMs / 1_000)} s`);

/**
 * The output of a command. `--json` has one document; people read facts, notes, a table and a text, in this
 * order.
 */
export interface Output {
  /** Unset: the facts, or `{ data: table }`. */
  json?: object;
  facts?: Record<string, Cell>;
  /** Remarks for people, on stderr. */
  notes?: readonly string[];
  table?: Record<string, Cell>[];
  /** Said on stderr if the table is empty. */
  none?: string;
  /** Lines. */
  text?: string;
  /** Thrown once all is printed. */
  error?: Error | undefined;
}

export function printOutput({ json, facts, notes, table, none, text }: Output, asJson: boolean): void {
  const document = json ?? facts ?? (table && { data: table });
  if (asJson && document) return printJson(document);
  if (facts) print(formatFacts(facts));
  notes?.forEach(note);
  if (none !== undefined && table?.length === 0) note(none);
  if (table) print(formatTable(table));
  if (text !== undefined) print(text);
}
