import { formatCount } from '../print';
import { Findings } from './findings';
import type { Origins } from './origins';

const SHOWN_RANGES = 20;

/** What gdx learns about a file while reading it. */
export class Reading {
  readonly findings = new Findings();
  /** Columns that the mapping does not name. */
  unmapped: string[] = [];
  /** Remarks about properties found in the file itself, such as its delimiter. */
  readonly remarks: string[] = [];
  rows = 0;
  /** The columns whose cells are kept of rows that are gathered, to be shown. */
  shown?: readonly string[];
  /** Unset where nothing is pushed. */
  origins?: Origins;
  /** The rows that are not part of a record, by the rule that excludes them. */
  private readonly left = new Map<string, { count: number; ranges: [from: number, to: number][] }>();

  leaveOut(rule: string, line: number): void {
    const found = this.left.get(rule) ?? { count: 0, ranges: [] };
    this.left.set(rule, found);
    found.count++;
    const last = found.ranges.at(-1);
    if (last?.[1] === line - 1) last[1] = line;
    else if (found.ranges.length < SHOWN_RANGES) found.ranges.push([line, line]);
  }

  get leftOut(): number {
    return [...this.left.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** The notes for the reader of the report. */
  notes(): string[] {
    const out = [...this.left].map(([rule, { count, ranges }]) => {
      const shown = ranges
        .map(([from, to]) => (from === to ? formatCount(from) : `${formatCount(from)}-${formatCount(to)}`))
        .join(', ');
      const isAll = ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0) === count;
      return `left out, ${rule}: line${count === 1 ? '' : 's'} ${shown}${isAll ? '' : `, ... (${formatCount(count)})`}`;
    });
    const unmapped =
      this.unmapped.length > 0 ? [`not in the mapping, and left out: ${this.unmapped.join(', ')}`] : [];
    return [
      ...this.remarks,
      ...out,
      ...unmapped,
      ...this.findings.remarks(),
      ...(this.origins?.remarks() ?? []),
    ];
  }
}
