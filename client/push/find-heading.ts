import { addTo } from '../../domain/records/add-to';
import type { MappingPlan } from './plan';
import { FileProblem } from '../file-problem';
import { textIn } from './row';

const SHOWN_COLUMNS = 30;

/** The heading of a table, with the index of each mapped column. */
export interface TableHeading {
  line: number;
  names: string[];
  /** How many cells a row below has, blank ones at its end aside. */
  width: number;
  places: ReadonlyMap<string, number>;
  missing: string[];
}

/** A column's name for comparison. A heading may have a line break where the mapping has a blank. */
export const nameOf = (cell: unknown) => textIn(cell).replace(/\s+/g, ' ');

/**
 * Looks for the mapped columns in a row that may be the heading. `Date#2` is the second column of that name.
 * @throws FileProblem when a mapped name is there twice and the mapping does not say which
 */
export function headingIn(
  line: number,
  cells: readonly unknown[],
  { columns, optional }: MappingPlan,
): TableHeading {
  const names = cells.map(nameOf);
  const places = new Map<string, number>();
  const missing: string[] = [];
  const twice: string[] = [];
  const by = new Map<string, number[]>();
  for (const [index, name] of names.entries()) addTo(by, name, index);
  for (const column of columns) {
    const name = nameOf(column);
    const [, base = '', which] = /^(.*)#(\d+)$/.exec(name) ?? [];
    const found = by.get(name) ?? [by.get(base)?.[Number(which) - 1]].filter((index) => index !== undefined);
    if (found.length > 1)
      twice.push(
        `“${name}” in ${found.map((index) => `column ${index + 1}`).join(' and ')}: say “${name}#1” or “${name}#2”`,
      );
    if (found.length > 0) places.set(column, found[0]!);
    else if (!optional.has(column)) missing.push(column);
  }
  if (missing.length === 0 && twice.length > 0)
    throw new FileProblem({ line }, `the heading has ${twice.join('; ')}`);
  return { line, names, width: names.findLastIndex((name) => name !== '') + 1, places, missing };
}

/** The problem of a file without a heading. @param best the row with the most mapped columns */
export function noHeading(best: TableHeading | undefined): FileProblem {
  if (!best) return new FileProblem({ line: 1 }, 'the file is empty');
  const named = best.missing.map((name) => `“${name}”`).join(', ');
  const shown = best.names.filter((name) => name !== '').slice(0, SHOWN_COLUMNS);
  const more = best.names.length > SHOWN_COLUMNS ? ', ...' : '';
  return new FileProblem(
    { line: best.line },
    `the mapping names ${named}, and the heading has no such column: ${shown.join(', ')}${more}. A column that only some files have is named in "optional_columns"; what is the same for every record is said by { "value": ... }`,
  );
}
