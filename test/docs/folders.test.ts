import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';

const foldersIn = (folder: string) =>
  readdirSync(path.join(checkout, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );

const readme = readFileSync(path.join(checkout, 'test/README.md'), 'utf8');
const listed = readme
  .split('\n')
  .filter((line) => /^\| `[a-z-]+\/`/.test(line))
  .flatMap((line) => [...line.split('|')[1]!.matchAll(/`([a-z-]+)\/`/g)].map(([, name]) => name!));

test('each folder of tests has the name of a room, or a row in test/README.md', () => {
  const strange = foldersIn('test').filter(
    (name) => !existsSync(path.join(checkout, name)) && !listed.includes(name),
  );
  expect(strange).toEqual([]);
});

test('each row names a folder of tests', () => {
  expect(listed.filter((name) => !foldersIn('test').includes(name))).toEqual([]);
  expect(listed.length).toBeGreaterThan(15);
});

test('a file that plays more cases at night marks tests for the night', () => {
  const unmarked = readdirSync(path.join(checkout, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('.nightly.test.ts'))
    .filter((file) => {
      const text = readFileSync(path.join(checkout, 'test', file), 'utf8');
      const names = /import \{([^}]*)\} from '[./]+setup\/cases'/.exec(text)?.[1] ?? '';
      return /\b(cases|played|first)\b/.test(names) && !/\b(scaledTest|nightlyTest)\b/.test(names);
    });
  expect(unmarked).toEqual([]);
});
