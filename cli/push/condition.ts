import { type Row, textIn } from './row';

export type Condition = ((row: Row) => boolean) & { columns: readonly string[] };

type Test = (text: string) => boolean;

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
 * @throws WrongMapping naming the member
 */
export function conditionOf(said: unknown, path: string, rename: (column: string) => string): Condition {
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
  return Object.assign(holds, { columns: [...new Set(any.flat().map(([column]) => column))] });
}

function testOf(said: unknown, path: string): Test {
  if (typeof said === 'string') return (text) => text === said;
  if (Array.isArray(said) && said.length > 0 && said.every((each) => typeof each === 'string')) {
    const texts = new Set<string>(said as string[]);
    return (text) => texts.has(text);
  }
  const [key, ...more] = typeof said === 'object' && said !== null ? Object.keys(said) : [];
  if (more.length === 0 && key === 'not') {
    const test = testOf((said as { not: unknown }).not, `${path}.not`);
    return (text) => !test(text);
  }
  const { pattern } = (said ?? {}) as { pattern?: unknown };
  if (more.length > 0 || typeof pattern !== 'string')
    return wrong(path, 'must be a text, a list of texts, { "pattern": "..." } or { "not": test }');
  try {
    const shape = new RegExp(`^(?:${pattern})$`, 'u');
    return (text) => shape.test(text);
  } catch {
    return wrong(`${path}.pattern`, 'is not a regular expression');
  }
}
