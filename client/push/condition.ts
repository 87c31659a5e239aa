import { type Row, textIn } from './row';

export type Condition = ((row: Row) => boolean) & {
  columns: readonly string[];
  /** Where the mapping has it. */
  path: string;
  any: readonly (readonly (readonly [column: string, test: Test])[])[];
};

/** `only` has all texts that pass, where the mapping lists them. */
type Test = ((text: string) => boolean) & { only?: ReadonlySet<string> };

export class WrongMapping extends Error {
  override name = 'WrongMapping';
}

/** Names the member that is wrong. */
export function wrong(path: string, what: string): never {
  throw new WrongMapping(`${path} ${what}`);
}

/**
 * Reads a condition of a mapping. `{ column: test }` needs all of its columns to match; of a list of such objects one
 * is enough.
 * @param rename gives the name that a column has here
 * @returns undefined where none is said @throws WrongMapping naming the member
 */
export function conditionOf(
  said: unknown,
  path: string,
  rename: (column: string) => string,
): Condition | undefined {
  if (said === undefined) return undefined;
  const any = (Array.isArray(said) ? said : [said]).map((all: unknown) => {
    if (typeof all !== 'object' || all === null || Array.isArray(all) || Object.keys(all).length === 0)
      return wrong(path, 'must be { column: test }, or a list of such');
    return Object.entries(all).map(
      ([name, test]) => [rename(name), testOf(test, `${path}.${name}`)] as const,
    );
  });
  if (any.length === 0) wrong(path, 'must not be an empty list');
  const holds = (row: Row) =>
    any.some((all) => all.every(([column, test]) => test(textIn(row.cell(column)))));
  return Object.assign(holds, { columns: [...new Set(any.flat().map(([column]) => column))], path, any });
}

/** The column because of which no row meets both conditions; undefined where one could. */
export function clashOf(one: Condition, other: Condition): string | undefined {
  let clash: string | undefined;
  for (const all of one.any)
    for (const others of other.any) {
      clash = all.find(([column, test]) =>
        others.some(([name, its]) => name === column && areApart(test, its)),
      )?.[0];
      if (clash === undefined) return undefined;
    }
  return clash;
}

function areApart(one: Test, other: Test): boolean {
  if (one.only) return [...one.only].every((text) => !other(text));
  return other.only !== undefined && [...other.only].every((text) => !one(text));
}

function testOf(said: unknown, path: string): Test {
  const texts: unknown[] = Array.isArray(said) ? said : [said];
  if (texts.length > 0 && texts.every((each) => typeof each === 'string')) {
    const only = new Set(texts);
    return Object.assign((text: string) => only.has(text), { only });
  }
  const [key, ...more] = typeof said === 'object' && said !== null ? Object.keys(said) : [];
  if (more.length === 0 && key === 'not') {
    const test = testOf((said as { not: unknown }).not, `${path}.not`);
    return (text) => !test(text);
  }
  const { pattern } = (said ?? {}) as { pattern?: unknown };
  if (more.length > 0 || typeof pattern !== 'string')
    return wrong(path, 'must be a text, a list of texts, { "pattern": "..." } or { "not": test }');
  const shape = shapeOf(pattern);
  if (!shape) return wrong(`${path}.pattern`, 'is not a regular expression');
  return (text) => shape.test(text);
}

/** A pattern over a whole cell; undefined for what is not a regular expression. */
export function shapeOf(pattern: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${pattern})$`, 'u');
  } catch {
    return undefined;
  }
}
