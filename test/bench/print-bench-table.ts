import { type Bound, markOf, type Row } from './row';

const HEAD = ['id', 'what', 'measured', 'gate', 'goal', '', 'from'];
const RIGHT = new Set([2, 3, 4]);

/** The rows as a table. `goal` and `met`: the goal or the gate is reached; `BROKEN` fails the run. */
export function benchTable(rows: Row[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)));
  const pad = (text: string, column: number) =>
    RIGHT.has(column) ? text.padStart(widths[column]!) : text.padEnd(widths[column]!);
  return cells.map((line) => line.map(pad).join('  ').trimEnd()).join('\n');
}

function cellsOf(row: Row): string[] {
  const { id, what, value, unit, bound, detail = '' } = row;
  const measured = Number.isNaN(value) ? '-' : shown(value, unit);
  return [id, what, measured, gateOf(bound), goalOf(bound), markOf(row), detail];
}

function shown(value: number, unit: Row['unit']): string {
  if (unit === 'ms') return `${Math.round(value)} ms`;
  const text = unit === 'x' || !Number.isInteger(value) ? value.toFixed(2) : String(value);
  return unit === 'x' ? `${text} x` : text;
}

function gateOf(bound: Bound | undefined): string {
  if (!bound) return '';
  if ('exactly' in bound) return `= ${bound.exactly}`;
  return 'atMost' in bound ? `<= ${bound.atMost}` : `>= ${bound.atLeast}`;
}

function goalOf(bound: Bound | undefined): string {
  if (!bound || bound.hard || bound.goal === undefined) return '';
  return `${'atMost' in bound ? '<=' : '>='} ${bound.goal}`;
}
