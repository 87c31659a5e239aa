import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { checkout } from '../../tools/local/checkout';

// What SECURITY.md tells a buyer's security desk names everything that there is.

const read = (file: string) => readFileSync(path.join(checkout, file), 'utf8');
const page = read('SECURITY.md');
const section = (title: string) => page.split(`\n## ${title}\n`)[1]!.split('\n## ')[0]!;
const firstCells = (text: string) => [...text.matchAll(/^\| (?!---)(.+?) \|/gm)].map(([, cell]) => cell!);

test('the map of data has every collection, and no other', () => {
  const [, table = ''] = /const COLLECTIONS = \{([^]*?)\} as /.exec(read('store/schema/collections.ts'))!;
  const named = [...table.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name!);
  const [, ...rows] = firstCells(section('What is kept, for how long, and what an erasure leaves'));
  const mapped = rows.flatMap((cell) => cell.replace(/ \(.*\)/, '').split(', '));
  expect(mapped.sort()).toEqual([...ENTITY_TYPES, ...named, 'migrations'].sort());
});

test('the threat model speaks of each part that can be taken over', () => {
  const [, ...parts] = firstCells(section('Threat model'));
  for (const part of ['gateway', 'API', 'worker', 'Temporal', 'MongoDB'])
    expect(parts.filter((cell) => cell.includes(part))).toHaveLength(1);
});

test('the eleven questions of Ag Data Transparent have an answer each', () => {
  const numbers = firstCells(section('Ag Data Transparent: the eleven questions')).flatMap(
    (cell) => /^\d+/.exec(cell)?.[0] ?? [],
  );
  expect(numbers.map(Number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});
