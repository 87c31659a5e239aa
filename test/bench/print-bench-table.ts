import { type Bound, markOf, type Row } from './row';

const HEAD = ['id', 'what', 'measured', 'before', 'change', 'gate', 'goal', '', 'from'];
const RIGHT = new Set(['measured', 'before', 'change', 'gate', 'goal']);
const COMPARED = new Set(['before', 'change']);

/** The rows as a table. `goal` and `met`: the goal or the gate is reached; `BROKEN` fails the run. */
export function benchTable(rows: Row[]): string {
  const isCompared = rows.some(({ before }) => before);
  const shown = HEAD.filter((name) => isCompared || !COMPARED.has(name));
  const sorted = [...rows].sort((one, other) => one.id.localeCompare(other.id));
  const lines = [Object.fromEntries(HEAD.map((name) => [name, name])), ...sorted.map(cellsOf)];
  const widths = new Map(shown.map((name) => [name, Math.max(...lines.map((line) => line[name]!.length))]));
  const pad = (line: Record<string, string>, name: string) =>
    RIGHT.has(name) ? line[name]!.padStart(widths.get(name)!) : line[name]!.padEnd(widths.get(name)!);
  return lines
    .map((line) =>
      shown
        .map((name) => pad(line, name))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cellsOf(row: Row): Record<string, string> {
  const { id, what, value, unit, bound, detail = '', before } = row;
  const mark = markOf(row);
  return {
    id,
    what,
    measured: shownValue(value, unit),
    before: before ? shownValue(before.value, unit) : '',
    change: before ? changeOf(value, before.value) : '',
    gate: gateOf(bound),
    goal: goalOf(bound),
    '': before && before.mark !== mark ? `${mark}, was ${before.mark || 'not gated'}` : mark,
    from: detail,
  };
}

function shownValue(value: number, unit: Row['unit']): string {
  if (Number.isNaN(value)) return '-';
  if (unit === 'ms' || unit === 'MB') return `${Math.round(value)} ${unit}`;
  if (unit === 's' || unit === '%') return `${value.toFixed(1)} ${unit}`;
  const text = unit === 'x' || !Number.isInteger(value) ? value.toFixed(2) : String(value);
  return unit === 'x' ? `${text} x` : text;
}

function changeOf(value: number, before: number): string {
  const percent = Math.round((value / before - 1) * 100);
  if (value === before) return '=';
  return Number.isFinite(percent) ? `${percent > 0 ? '+' : ''}${percent} %` : '';
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
