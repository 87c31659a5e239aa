import { formatInstant } from '../domain/instants';

export type Cell = string | number | boolean | Date | null | undefined | readonly string[];

// Names come from ERPs: control characters must not reach the operator's terminal.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** One value, human-readable; instants are in UTC. */
export function formatCell(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return '-';
  if (typeof cell === 'number') return cell.toLocaleString('en-US');
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (cell instanceof Date) return formatInstant(cell);
  const text = typeof cell === 'string' ? cell : cell.join(', ') || '-';
  return text.replace(CONTROL, '?');
}
