import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { escaped } from '../../domain/escaped';
import { type Checked, checkedRecords } from './check-file';
import { Gathering } from './gather';
import { IdSet } from './id-set';
import type { Mapping } from './mapping-schema';
import { planOf } from './plan';
import { readRecords } from './read-records';
import { Reading } from './reading';
import { textIn } from './row';

interface Shown {
  line: number;
  /** The cells that it came from; unset for several gathered rows. */
  cells?: Record<string, string>;
  record: Record<string, unknown>;
}

/** The first records of a file as they would be pushed, and the problems found so far. What is refused is no record. */
export async function showRecords(
  file: string,
  mapping: Mapping,
  count: number,
): Promise<{ data: Shown[]; text: string; problems: string[] }> {
  const { columns, inItems } = planOf(mapping);
  const folder = mkdtempSync(path.join(tmpdir(), 'gdx-show-'));
  const seen = new Reading();
  const data: Shown[] = [];
  const checked: Checked = { records: 0, problems: [], hashes: [], ids: new IdSet(), listed: [] };
  try {
    const gathering = mapping.gather ? new Gathering(path.join(folder, 'rows'), 0) : undefined;
    const records = readRecords(file, mapping, seen, gathering);
    let before = 0;
    for await (const { line, record, row } of checkedRecords(records, mapping, seen, checked, () => {})) {
      const isRight = seen.findings.count === before;
      before = seen.findings.count;
      const cells = row && Object.fromEntries(columns.map((column) => [column, textIn(row.cell(column))]));
      if (isRight) data.push({ line, ...(cells && { cells }), record });
      if (data.length === count || checked.records === MOST_TRIED * count) break;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const sayCells = (cells: Record<string, string>) => [
    ...Object.entries(cells).map(([column, text]) => `  ${escaped(`${column}: ${text || '-'}`)}`),
    ...(inItems.length > 0 ? ['  and what is in its lists'] : []),
  ];
  const say = ({ line, cells, record }: Shown) => {
    const from = cells ? sayCells(cells) : ['  and other rows of its id'];
    return [`line ${line}`, ...from, JSON.stringify(record, null, 2)].join('\n');
  };
  return {
    data,
    text: `${data.map(say).join('\n\n')}\n`,
    problems: seen.findings.problems().map(({ message }) => message),
  };
}

// Of a file whose rows are all refused, the first say why.
const MOST_TRIED = 100;
