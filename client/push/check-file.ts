import { createHash } from 'node:crypto';
import { FileProblem } from '../file-problem';
import { requestBatches } from './batches';
import { IdSet } from './id-set';
import type { Mapping } from './mapping-schema';
import { commandOf, planOf } from './plan';
import type { FileRecord } from './read-records';
import type { Reading } from './reading';
import { refusalsOf } from './refusals';
import { recordText } from './request-body';
import { textIn } from './row';

/** The marks of ids in a whole file: the record is present, or present as deleted. */
export const MARKS = { live: 1, deleted: 2 } as const;

/** The outcome of a check. A file with problems is not sent at all. */
export interface Checked {
  records: number;
  problems: FileProblem[];
  /** The hash of each request's body. Before sending, it shows that the file has not changed since the check. */
  hashes: string[];
  /** Of a whole file. */
  ids: IdSet;
  /** All ids, if the file has a whole part of the records ("of" in the mapping). */
  listed: string[];
}

/**
 * Reads a file to its end and checks every record by the service's own rules, in the form in which it is sent. So
 * nothing of a file is sent if a later line is wrong. The check stops at the first line that cannot be read.
 * @param progress called with the number of records read
 */
export async function checkFile(
  records: AsyncIterable<FileRecord>,
  mapping: Mapping,
  batchSize: number,
  seen: Reading,
  progress: (records: number) => void,
): Promise<Checked> {
  const checked: Checked = { records: 0, problems: [], hashes: [], ids: new IdSet(), listed: [] };
  try {
    for await (const { body } of requestBatches(
      checkedRecords(records, mapping, seen, checked, progress),
      mapping,
      batchSize,
    ))
      checked.hashes.push(hashOf(body));
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    checked.problems.push(error);
  }
  checked.problems.unshift(...seen.findings.problems());
  return checked;
}

export const hashOf = (body: Buffer): string => createHash('sha256').update(body).digest('base64');

/** Notes what the service would refuse of each record. */
export async function* checkedRecords(
  records: AsyncIterable<FileRecord>,
  mapping: Mapping,
  seen: Reading,
  checked: Checked,
  progress: (records: number) => void,
): AsyncGenerator<FileRecord> {
  const command = commandOf(mapping.type);
  const columns = columnsByField(mapping);
  for await (const one of records) {
    const { record, isBad } = one;
    const text = recordText(record);
    if (!isBad)
      for (const [path, problem] of refusalsOf(command, text)) noteRefusal(one, path, problem, columns, seen);
    const { id, deleted, deleted_at } = record;
    if (typeof id === 'string') {
      seen.origins?.see(id, text);
      const isDeleted = deleted === true || deleted_at != null;
      if (mapping.whole) checked.ids.mark(id, isDeleted ? MARKS.deleted : MARKS.live);
    }
    if (mapping.whole?.of) notePart(one, mapping.whole.of, checked, seen);
    progress(++checked.records);
    yield { ...one, text };
  }
}

function notePart(
  { line, record }: FileRecord,
  of: Record<string, unknown>,
  { listed }: Checked,
  { findings }: Reading,
): void {
  listed.push(String(record['id']));
  for (const [name, value] of Object.entries(of)) {
    if (String(record[name]) === String(value)) continue;
    const problem = `a record has another \`${name}\` than "whole" says: ${String(value)}`;
    const advice = 'leave it out by "rows"';
    findings.add(`whole ${name}`, { problem, advice }, { line }, String(record[name]));
  }
}

type ColumnsByField = ReadonlyMap<string, readonly string[]>;

export function columnsByField(mapping: Mapping): ColumnsByField {
  const { record } = planOf(mapping);
  const fields = [
    ...(record?.fields ?? []),
    ...(record?.lists ?? []).flatMap(({ entries }) => entries.flatMap((entry) => entry.fields)),
  ];
  return new Map(fields.map(({ path, sources }) => [path, sources.flatMap((source) => source.columns)]));
}

/** Notes a message of the service once for all its records. @param path as in a message: `.splits[0].account_id` */
function noteRefusal(
  { line, row }: FileRecord,
  path: string,
  problem: string,
  columns: ColumnsByField,
  { findings }: Reading,
): void {
  const field = path.replace(/^\./, '');
  const plain = field.replace(/\[\d+\]/g, '');
  const [column] = columns.get(plain) ?? [];
  const from = column === undefined ? '' : `\`${column}\`: `;
  const text = column === undefined ? '' : textIn(row?.cell(column));
  findings.add(
    `${plain} ${problem}`,
    {
      problem: `${from}${field} ${problem}`.trim(),
      advice: 'correct the value, or what the mapping makes it of',
    },
    { line, column: column === undefined ? undefined : row?.numberOf?.(column) },
    text || undefined,
  );
}
