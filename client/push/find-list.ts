import { isJsonObject } from '../../domain/records/strict-json';

/**
 * The path of the records. The document and all lists in it are compared; the records are where items have the most
 * fields of their own.
 */
export function listIn(object: object): string | undefined {
  let [best, most]: [string | undefined, number] = [undefined, saysOfItsOwn(object)];
  for (const [path, item] of itemsIn(object, '')) {
    const says = saysOfItsOwn(item);
    if (says > most) [best, most] = [path, says];
  }
  return best;
}

const saysOfItsOwn = (object: object) => leavesOf(object, '').filter(([name]) => !name.includes('[]')).length;

/** Walks through every item of every list: `sites[]`, `sites[].tickets[]`, and so on. */
function* itemsIn(object: object, path: string): Generator<[path: string, item: object]> {
  for (const [name, member] of Object.entries(object) as [string, unknown][]) {
    if (isJsonObject(member)) yield* itemsIn(member, `${path}${name}.`);
    const here = `${path}${name}[]`;
    for (const item of objectsIn(member)) {
      yield [here, item];
      yield* itemsIn(item, `${here}.`);
    }
  }
}

const objectsIn = (list: unknown): object[] => (Array.isArray(list) ? list.filter(isJsonObject) : []);

/** All values by path. Values of list items have the path of the list with `[]`. */
export function leavesOf(value: object, prefix: string): [string, unknown][] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]): [string, unknown][] => {
    if (isJsonObject(member)) return leavesOf(member, `${prefix}${name}.`);
    const items = objectsIn(member);
    if (items.length > 0) return items.flatMap((item) => leavesOf(item, `${prefix}${name}[].`));
    return [[`${prefix}${name}`, member]];
  });
}
