import { isJsonObject } from '../../domain/strict-json';
import { FileProblem } from '../file-problem';
import { listIn } from './find-list';
import type { Mapping } from './mapping-schema';
import type { MappingPlan } from './plan';
import { type JsonValue, readObjects } from './read-objects';
import type { Reading } from './reading';
import type { FileCell, Row } from './row';

type Step = { member: string } | { index: number } | { member: string; is: string };

const STEP = /([^.[\]]+)|\[(\d+)\]|\[([^=\]]+)=([^\]]*)\]/g;
const known = new Map<string, Step[]>();

/** Splits a path into its steps: `measures[kind=GROSS].content`. */
function stepsOf(path: string): Step[] {
  const steps =
    known.get(path) ??
    [...path.matchAll(STEP)].map(([, member, index, by, is]): Step =>
      member !== undefined
        ? { member }
        : index !== undefined
          ? { index: Number(index) }
          : { member: by!, is: is! },
    );
  known.set(path, steps);
  return steps;
}

/**
 * Reads the records of a JSON file as rows whose columns are paths.
 * @param open starts at the beginning of the file each time
 */
export async function* readJson(
  open: () => AsyncIterable<Buffer>,
  mapping: Mapping,
  plan: MappingPlan,
  seen: Reading,
): AsyncGenerator<ObjectRow> {
  const { property } = mapping.dialect ?? {};
  // A member of an enclosing object may come after the record, so the file is read twice.
  const outer = columnsOutside(mapping, plan);
  const enclosing = new Map<string, FileCell>();
  if (outer.length > 0)
    for await (const { path, at, value, line } of readObjects(open(), property)) {
      for (const column of path === undefined ? [] : outer)
        if (column.startsWith(path!) && /^($|[.[])/.test(column.slice(path!.length)))
          enclosing.set(keyOf(column, at), cellAt(value, column.slice(path!.length), { line, column }));
    }
  const found = new Set<string>();
  const tops = new Set<string>();
  let last: number | undefined;
  for await (const one of readObjects(open(), property)) {
    if (one.path !== undefined) {
      tops.add(one.path);
      continue;
    }
    const row = new ObjectRow(one.line, one.value, one.at, enclosing, found);
    if (last === undefined && property === undefined) checkDepth(one, row, plan);
    last = one.line;
    if (plan.rows && !plan.rows(row)) seen.leaveOut('not in "rows"', one.line);
    else yield row;
  }
  if (last === undefined) return checkProperty(property, tops);
  const never = plan.columns
    .filter((column) => !plan.optional.has(column) && !found.has(column))
    .map((column) => `“${column}”`);
  if (never.length > 0)
    throw new FileProblem(
      { line: last },
      `the mapping names ${never.join(', ')}, and no record has it. Name it in "optional_columns" if only some files have it`,
    );
  seen.remarks.push(...remarksOn(plan, found));
}

/** A list may be missing of every record of a day. So a name that no record has is remarked here, and not refused. */
function remarksOn({ lists, inItems, optional }: MappingPlan, found: ReadonlySet<string>): string[] {
  const isMissing = (name: string) => !found.has(name) && !optional.has(name);
  const missing = lists.filter(isMissing);
  const ofItems = lists.some((list) => found.has(`${list}[]`)) ? inItems.filter(isMissing) : [];
  return [
    ...missing.map((list) => `no record has the list “${list}”, of which the mapping makes items`),
    ...ofItems.map((name) => `no item has “${name}”, which the mapping names`),
  ];
}

/** Refuses an object that has a list of records where a mapping without `property` looks for a record. */
function checkDepth({ line, value }: JsonValue, row: ObjectRow, { columns }: MappingPlan): void {
  const sought = columns.length > 0 ? columns : ['id']; // a record that is sent as it is
  if (!isJsonObject(value) || sought.some((column) => row.cell(column) !== undefined)) return;
  const list = listIn(value);
  if (list)
    throw new FileProblem(
      { line },
      `the records are in ${JSON.stringify(list)}: name it as "property" in the "dialect" of the mapping`,
    );
}

function checkProperty(property: string | undefined, tops: ReadonlySet<string>): void {
  // A path that ends with [] is of a list without an item.
  const isThere = [...tops].some((path) =>
    path.endsWith('[]') ? property?.startsWith(path) : property === path || property?.startsWith(`${path}[`),
  );
  if (property !== undefined && !isThere && tops.size > 0)
    throw new FileProblem(
      { line: 1 },
      `there is nothing at "property": ${JSON.stringify(property)}; there are ${[...tops].slice(0, 20).join(', ')}`,
    );
}

/** The columns that are members of enclosing objects. They begin with the same name as `property`. */
function columnsOutside({ dialect }: Mapping, { columns, inItems }: MappingPlan): string[] {
  const [first] = (dialect?.property ?? '').split('.');
  return [...columns, ...inItems].filter(
    (column) => column.startsWith(`${first}.`) || column.startsWith(`${first}[`),
  );
}

/**
 * The value at a path below another one.
 * @param whose names it in the error where several items have what the path asks for
 */
function cellAt(value: FileCell, path: string, whose: { line: number; column: string }): FileCell {
  return stepsOf(path).reduce((part: FileCell, step) => {
    if ('index' in step) return Array.isArray(part) ? part[step.index] : undefined;
    return 'is' in step ? itemWith(part, step, whose) : member(part, step.member);
  }, value);
}

function itemWith(
  value: FileCell,
  { member: name, is }: { member: string; is: string },
  { line, column }: { line: number; column: string },
): FileCell {
  const items = Array.isArray(value) ? value.filter((item) => String(member(item, name)) === is) : [];
  if (items.length > 1)
    throw new FileProblem(
      { line },
      `${column} is there ${items.length} times in one record: say by which other member it is known, or use "each"`,
    );
  return items[0] as FileCell;
}

/** Identifies a member of an enclosing object by its path and the indexes in the lists around it. */
const keyOf = (path: string, at: readonly number[]) =>
  `${path} ${at.slice(0, path.split('[]').length - 1).join(',')}`;

class ObjectRow implements Row {
  constructor(
    readonly line: number,
    readonly value: unknown,
    private readonly at: readonly number[],
    private readonly enclosing: ReadonlyMap<string, FileCell>,
    /** Collects the columns that exist, and with [] behind them the lists that have an item. */
    private readonly found: Set<string>,
  ) {}

  cell(column: string): FileCell {
    const outside = this.enclosing.size > 0 ? this.enclosing.get(keyOf(column, this.at)) : undefined;
    const cell = outside ?? cellAt(this.value as FileCell, column, { line: this.line, column });
    if (cell !== undefined) this.found.add(column);
    return cell;
  }

  items(path: string): Row[] | undefined {
    const list = this.cell(path);
    if (Array.isArray(list) && list.length > 0) this.found.add(`${path}[]`);
    return Array.isArray(list)
      ? list.map((value) => new ObjectRow(this.line, value, this.at, this.enclosing, this.found))
      : undefined;
  }
}

const member = (value: FileCell, name: string): FileCell =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
