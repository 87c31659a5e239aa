import { formatCount } from '../print';
import { isDateKind, knownField } from './field-kind';
import { type Gathering, joinFragments } from './gather';
import { IdSet } from './id-set';
import { type Fragment, RecordMapper } from './map-record';
import type { Mapping } from './mapping-schema';
import { openFile } from './open-file';
import { commandOf, type MappingPlan, planOf } from './plan';
import { FAR_YEAR, isFar } from './read-value';
import type { Reading } from './reading';
import { cellsOf, type Row, textIn } from './row';

/** One record of a file, mapped. */
export interface FileRecord {
  line: number;
  record: Record<string, unknown>;
  /** As it is sent, once it was checked. */
  text?: string;
  /** A part of it could not be read; the problem was noted. */
  isBad: boolean;
  /** The row it comes from; of gathered ones, what is kept of each. */
  row?: Row;
  rows?: readonly Pick<Fragment, 'line' | 'cells'>[];
}

/**
 * Reads the records of a file one at a time. Values that cannot be read are noted, and the record comes without them.
 * @param gathering collects the rows of one id; undefined when the mapping does not ask for it
 * @throws FileProblem when the file cannot be read
 */
export async function* readRecords(
  file: string,
  mapping: Mapping,
  seen: Reading,
  gathering?: Gathering,
): AsyncGenerator<FileRecord> {
  const plan = planOf(mapping);
  const rows = openFile(file, mapping, plan, seen);
  if (!plan.record) return yield* objectsOf(rows, mapping, plan, seen);
  const mapper = new RecordMapper(mapping, plan as MappingPlan & { record: object }, seen.findings);
  if (plan.gather) return yield* gathered(rows, mapper, seen, gathering!);
  const ids = new IdSet();
  for await (const row of rows) {
    const before = seen.findings.count;
    const fragment = mapper.map(row);
    noteTwice(ids, fragment, seen);
    seen.rows++;
    const record = mapper.recordOf(fragment);
    yield { line: row.line, record, isBad: seen.findings.count > before, row };
  }
}

function noteTwice(ids: IdSet, { id, line }: Pick<Fragment, 'id' | 'line'>, { findings }: Reading): void {
  const before = id === undefined ? 0 : ids.mark(id, line);
  if (before === 0) return;
  const problem = `\`${id}\` is the id of line ${formatCount(before)} and again of line ${formatCount(line)}`;
  const advice =
    'say "gather": true if rows of one id are one record, join several columns if they make the id, or name by "rows" which rows are records';
  findings.add('id twice', { problem, advice }, { line }, id);
}

async function* gathered(
  rows: AsyncIterable<Row>,
  mapper: RecordMapper,
  seen: Reading,
  gathering: Gathering,
): AsyncGenerator<FileRecord> {
  const isBad = new IdSet();
  if (!gathering.isFull)
    for await (const row of rows) {
      const before = seen.findings.count;
      const fragment = mapper.map(row);
      if (!fragment.isIdle) seen.rows++;
      if (fragment.isIdle) {
        seen.leaveOut('asked for by no condition', row.line);
        continue;
      }
      if (fragment.id === undefined && seen.findings.count === before) noteNoId(row, seen);
      if (fragment.id === undefined) continue;
      if (seen.findings.count > before) isBad.mark(fragment.id, row.line);
      if (seen.shown) fragment.cells = cellsOf(row, seen.shown);
      gathering.add(fragment as Fragment & { id: string });
    }
  gathering.isFull = true;
  for (const one of gathering.gathered()) {
    const before = seen.findings.count;
    const fragment = joinFragments(one, seen.findings);
    const record = mapper.recordOf(fragment);
    const isBadNow = seen.findings.count > before || isBad.markOf(fragment.id!) > 0;
    yield { line: fragment.line, record, isBad: isBadNow, rows: one };
  }
}

function noteNoId(row: Row, { findings }: Reading): void {
  const advice = 'name by "rows" which rows count, or by "fill_down" what stands in the first row only';
  findings.add('no id', { problem: 'a row has no id', advice }, { line: row.line });
}

/** Reads objects that are records already. */
async function* objectsOf(
  rows: AsyncIterable<Row>,
  { type }: Mapping,
  plan: MappingPlan,
  seen: Reading,
): AsyncGenerator<FileRecord> {
  const ids = new IdSet();
  const { schema } = commandOf(type);
  const kinds = Object.keys(schema.properties).map((name) => [name, knownField(schema, name)!.kind] as const);
  const dates = kinds.filter(([, kind]) => isDateKind(kind));
  for await (const row of rows) {
    const before = seen.findings.count;
    const record = { ...(row.value as Record<string, unknown>) };
    if (typeof record['id'] === 'string') noteTwice(ids, { id: textIn(record['id']), line: row.line }, seen);
    if (plan.deleted?.(row) && record['deleted_at'] == null) record['deleted'] = true;
    for (const [name, kind] of dates) {
      const value = record[name];
      if (typeof value !== 'string' || !/^\d{4}-/.test(value) || !isFar(kind, value)) continue;
      const problem = `\`${name}\` ${FAR_YEAR.problem[0]}`;
      seen.findings.add(`${name} year`, { problem, advice: 'correct it' }, { line: row.line }, value);
    }
    seen.rows++;
    yield { line: row.line, record, isBad: seen.findings.count > before, row };
  }
}
