import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { escaped } from '../../domain/escaped';
import { Gathering } from './gather';
import type { Mapping } from './mapping-schema';
import { planOf } from './plan';
import { readRecords } from './read-records';
import { Reading } from './reading';
import { textIn } from './row';

/**
 * Shows the first records of a file as they would be pushed, each beside its source cells, and the problems found so
 * far.
 */
export async function showRecords(
  file: string,
  mapping: Mapping,
  count: number,
): Promise<{ text: string; problems: string[] }> {
  const { columns, inItems } = planOf(mapping);
  const folder = mkdtempSync(path.join(tmpdir(), 'gdx-show-'));
  const seen = new Reading();
  const shown: string[] = [];
  try {
    const gathering = mapping.gather ? new Gathering(path.join(folder, 'rows'), 0) : undefined;
    for await (const { line, record, row } of readRecords(file, mapping, seen, gathering)) {
      const cells = columns.map((column) => `  ${escaped(`${column}: ${textIn(row?.cell(column)) || '-'}`)}`);
      const from = row
        ? [...cells, ...(inItems.length > 0 ? ['  and what is in its lists'] : [])]
        : ['  and other rows of its id'];
      shown.push([`line ${line}`, ...from, JSON.stringify(record, null, 2)].join('\n'));
      if (shown.length === count) break;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    text: `${shown.join('\n\n')}\n`,
    problems: seen.findings.problems().map(({ message }) => message),
  };
}
