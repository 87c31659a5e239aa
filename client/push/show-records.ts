import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { escaped } from '../../domain/text/escaped';
import { type Checked, checkedRecords } from './check-file';
import { Gathering } from './gather';
import { IdSet } from './id-set';
import type { Mapping } from './mapping-schema';
import { planOf } from './plan';
import { readRecords } from './read-records';
import { Reading } from './reading';
import { cellsOf } from './row';

interface ShownRow {
  line: number;
  cells: Record<string, string>;
}

/** A record beside the cells that it came from: of its row, or of the rows that were gathered. */
type Shown = { record: Record<string, unknown> } & (ShownRow | { line: number; rows: ShownRow[] });

/**
 * The first records of a file as they would be pushed, the problems found so far, and the notes on rows that were left out.
 * What is refused is no record.
 */
export async function showRecords(
  file: string,
  mapping: Mapping,
  count: number,
): Promise<{ data: Shown[]; text: string; problems: string[]; notes: string[] }> {
  const { columns, inItems } = planOf(mapping);
  const folder = mkdtempSync(path.join(tmpdir(), 'gdx-show-'));
  const seen = new Reading();
  seen.shown = columns;
  const data: Shown[] = [];
  const checked: Checked = { records: 0, problems: [], hashes: [], ids: new IdSet(), listed: [] };
  try {
    const bytes = statSync(file).size / IN_ORDER;
    const gathering = mapping.gather ? new Gathering(path.join(folder, 'rows'), bytes) : undefined;
    const records = readRecords(file, mapping, seen, gathering);
    let before = 0;
    for await (const { line, record, row, rows } of checkedRecords(
      records,
      mapping,
      seen,
      checked,
      () => {},
    )) {
      const isRight = seen.findings.count === before;
      before = seen.findings.count;
      const from = row
        ? { cells: cellsOf(row, columns) }
        : { rows: rows!.map((one) => ({ line: one.line, cells: one.cells! })) };
      if (isRight) data.push({ line, ...from, record });
      if (data.length === count || checked.records === MOST_TRIED * count) break;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const sayRow = ({ line, cells }: ShownRow) => [
    `line ${line}`,
    ...Object.entries(cells).map(([column, text]) => `  ${escaped(`${column}: ${text || '-'}`)}`),
    ...(inItems.length > 0 ? ['  and what is in its lists'] : []),
  ];
  const say = (shown: Shown) => {
    const from = 'rows' in shown ? shown.rows : [shown];
    return [...from.flatMap(sayRow), JSON.stringify(shown.record, null, 2)].join('\n');
  };
  return {
    data,
    text: `${data.map(say).join('\n\n')}\n`,
    problems: seen.findings.problems().map(({ message }) => message),
    notes: seen.notes(),
  };
}

// Up to 8 MiB the gathered records come in the order of the file.
const IN_ORDER = 64;
// Of a file whose rows are all refused, the first say why.
const MOST_TRIED = 100;
