import { isJsonObject } from '../../domain/records/strict-json';
import { FileProblem } from '../file-problem';
import { listIn } from './find-list';
import type { Mapping } from './mapping-schema';
import type { MappingPlan } from './plan';
import type { JsonValue } from './read-objects';
import type { Reading } from './reading';
import type { FileCell, Row } from './row';

type Step = { member: string } | { index: number } | { member: string; is: string };

const STEP = /([^.[\]]+)|\[(\d+)\]|\["([^"]*)"\]|\[([^=\]]+)=([^\]]*)\]/g;
const known = new Map<string, Step[]>();

/** Splits a path into its steps: `measures[kind=GROSS].content`. */
function stepsOf(path: string): Step[] {
  const steps =
    known.get(path) ??
    [...path.matchAll(STEP)].map(([, plain, index, quoted, by, is]): Step => {
      const member = plain ?? quoted;
      return member !== undefined
        ? { member }
        : index !== undefined
          ? { index: Number(index) }
          : { member: by!, is: is! };
    });
  known.set(path, steps);
  return steps;
}

/**
 * Reads the records of a JSON or XML file as rows whose columns are paths.
 * @param read starts at the beginning of the file each time
 */
export async function* readJson(
  read: () => AsyncIterable<JsonValue>,
  mapping: Mapping,
  plan: MappingPlan,
  seen: Reading,
): AsyncGenerator<ObjectRow> {
  const { property } = mapping.dialect ?? {};
  if (mapping.fill_down)
    throw new FileProblem(
      { line: 1 },
      'the mapping says "fill_down", which is of the rows of a table: each object of this file needs its own value',
    );
  // A member of an enclosing object may come after the record, so the file is read twice.
  const outer = columnsOutside(mapping, plan);
  const enclosing = new Map<string, FileCell>();
  if (outer.length > 0)
    for await (const { path, at, value, line } of read()) {
      for (const column of path === undefined ? [] : outer)
        if (column.startsWith(path!) && /^($|[.[])/.test(column.slice(path!.length)))
          enclosing.set(keyOf(column, at), cellAt(value, column.slice(path!.length), { line, column }));
    }
  const found = new Set<string>();
  let sought = plan.columns.filter((column) => !plan.optional.has(column));
  const tops = new Set<string>();
  let last: number | undefined;
  for await (const one of read()) {
    if (one.path !== undefined) {
      checkPage(one, mapping, seen);
      tops.add(one.path);
      continue;
    }
    const row = new ObjectRow(one.line, one.value, one.at, enclosing, found);
    if (last === undefined && property === undefined) checkDepth(one, row, plan);
    last = one.line;
    sought = sought.filter((column) => !row.has(column));
    if (plan.rows && !plan.rows(row)) seen.leaveOut('not in "rows"', one.line);
    else yield row;
  }
  if (last === undefined) return checkProperty(property, tops);
  if (sought.length > 0)
    throw new FileProblem(
      { line: last },
      `the mapping names ${sought.map((column) => `“${column}”`).join(', ')}, and no record has it. Name it in "optional_columns" if only some files have it`,
    );
  seen.remarks.push(...remarksOn(plan, found));
}

const NEXT =
  /(?:^|[.\]])(?:@?odata\.|__)?(?:next(?:_?(?:link|page|page_?token|cursor|url))?|has_?(?:more|next|next_?page)|more_?records|continuation_?token)$/i;
const PAGES = /(?:^|[.\]])(?:total_?pages|page_?count)$/i;
const NONE = /^(?:false|null)?$/i;

/** Finds what says that another page follows, as `links.next` and `hasMore` do. */
function nextIn(name: string, value: unknown, depth = 0): string | undefined {
  if (isJsonObject(value))
    return Object.entries(depth < 3 ? value : {})
      .map(([inner, of]) => nextIn(inner, of, depth + 1))
      .find((found) => found !== undefined);
  const isSaid = typeof value === 'string' ? !NONE.test(value) : value === true || Number(value) > 0;
  return (NEXT.test(name) && isSaid) || (PAGES.test(name) && Number(value) > 1) ? name : undefined;
}

function checkPage({ path = '', value, line }: JsonValue, { whole }: Mapping, seen: Reading): void {
  const next = nextIn(path, value);
  if (next === undefined) return;
  const what = `the file is one page of several: it has ${JSON.stringify(next)}`;
  if (whole)
    throw new FileProblem({ line }, `${what}. A whole file has every record: put all pages into one`, true);
  seen.remarks.push(what);
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
  if (path === ITSELF) return value;
  const whole = member(value, path); // a name may have dots and brackets
  if (whole !== undefined) return whole;
  return stepsOf(path).reduce((part: FileCell, step) => {
    if ('index' in step) return Array.isArray(part) ? part[step.index] : undefined;
    return 'is' in step ? itemWith(part, step, whose) : member(part, step.member);
  }, value);
}

/** The item of a list of plain texts. */
const ITSELF = '.';

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
    return member(cell, TEXT) ?? cell;
  }

  /** Whether it has the column, which no rule may have asked for yet. */
  has(column: string): boolean {
    try {
      return this.cell(column) !== undefined;
    } catch {
      return true; // several times
    }
  }

  items(path: string): Row[] {
    const found = cellAt(this.value, path, { line: this.line, column: path });
    if (found !== undefined) this.found.add(path);
    const list: unknown[] = Array.isArray(found) ? found : [found ?? []].flat();
    if (list.length > 0) this.found.add(`${path}[]`);
    return list.map((value) => new ObjectRow(this.line, value, this.at, this.enclosing, this.found));
  }
}

/** The text of an element of XML that has attributes as well. */
export const TEXT = '#text';

const member = (value: FileCell, name: string): FileCell =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
