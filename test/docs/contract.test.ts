import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';

const page = readFileSync(path.join(checkout, 'docs/contract.md'), 'utf8');
const parts = page.split(/^## /m).slice(1);
const promises = page.split(/^- (?=\*\*)|^## /m).filter((text) => text.startsWith('**'));
const ids = promises.map((promise) => /^\*\*([A-Z]\d+)\*\* /.exec(promise)?.[1]);

test('every promise of the contract has an id of its own, and they stand in order', () => {
  expect(ids.length).toBeGreaterThan(50);
  expect(ids).not.toContain(undefined);
  expect(new Set(ids).size).toBe(ids.length);
  for (const part of parts) {
    const numbers = [...part.matchAll(/^- \*\*[A-Z](\d+)\*\*/gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
  }
});

const named = promises.map((promise, index) => [ids[index], promise]);

test.each(named)('%s names a test', (_id, promise) => {
  expect(promise).toMatch(/\]\(\.\.\/test\/[\w/.-]+\.ts\)/);
});

test.each(named)(
  '%s promises no figure, code, header or field that none of its tests names',
  (_id, promise) => {
    const tests = testsOf(promise!);
    expect(factsOf(promise!).filter((fact) => !tests.includes(fact))).toEqual([]);
  },
);

test('what a promise says and its tests do not is found', () => {
  const promise =
    '**X1** Kept for 72 hours, at most 100,000 (`at_least`), and `X-Channel-Slug`. ([x](../test/x.ts))\n';
  expect(factsOf(promise)).toEqual(['at_least', 'x-channel-slug', '72', '100000']);
});

/** The figures of a promise, and what it names in one word between backticks; not its links, and no settings. */
function factsOf(promise: string): string[] {
  const text = promise.replace(/\[[^\]]*\]\([^)]*\)/g, '');
  const words = [...text.matchAll(/`([\w-]+)`/g)].map(([, word]) => word!);
  const figures = text.replace(/`[^`]*`/g, '').matchAll(/(?<![\w.-])\d+(?:[,.]\d+)*(?![\w-])/g);
  return [
    ...words.filter((word) => !word.startsWith('GDX_')).map((word) => word.toLowerCase()),
    ...[...figures].map(([figure]) => figure.replaceAll(',', '')),
  ];
}

/** The words of the tests that a promise names, and of what these import from beside them; digits without separators. */
function testsOf(promise: string): string[] {
  const files = [...promise.matchAll(/\]\(\.\.\/(test\/[\w/.-]+\.tsx?)\)/g)].map(([, file]) => file!);
  const text = files.flatMap((file) => [file, ...importedBy(file)]).map(read);
  const plain = text.join('\n').replace(/(?<=\d)[_,](?=\d{3})/g, '');
  return plain
    .toLowerCase()
    .match(/\d+(?:\.\d+)+|[\w-]+/g)!
    .flatMap((word) => [word, ...word.split('-')]);
}

const importedBy = (file: string) =>
  [...read(file).matchAll(/from '(\.[^']+)'/g)]
    .map(([, from]) => `${path.join(path.dirname(file), from!)}.ts`)
    .filter((place) => place.startsWith('test/') && existsSync(path.join(checkout, place)));

const read = (file: string) => readFileSync(path.join(checkout, file), 'utf8');
