import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { ALL_SETTINGS } from '../../domain/settings/all-settings';
import { COLLECTIONS } from '../../store/schema/collections';
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

/** How a row says a time, by its seconds; 0 where each document has its own. */
const TIMES: Readonly<Record<number, RegExp>> = {
  0: /minute|hour|day|as long as/,
  180: /three minutes/,
  3_600: /an hour/,
  259_200: /72 hours/,
  34_560_000: /400 days/,
};

test('each collection that an index, a process or a setting ends says so in its row', () => {
  const lines = section('What is kept, for how long, and what an erasure leaves').split('\n| ').slice(2);
  const rows = lines.flatMap((line) => {
    const [names = '', , kept = '', erased = ''] = line.split(' | ');
    const each = names.replace(/ \(.*\)/, '').split(', ');
    return each.map((name) => [name, { kept, erased: erased.replace(/\W/g, '') }] as const);
  });
  const rowOf = new Map(rows);
  for (const [name, indexes] of Object.entries(COLLECTIONS))
    for (const { expireAfterSeconds } of indexes)
      if (expireAfterSeconds !== undefined)
        expect([name, rowOf.get(name)?.kept]).toEqual([
          name,
          expect.stringMatching(TIMES[expireAfterSeconds]!),
        ]);
  const roles = JSON.parse(read('deploy/mongodb-roles.json')) as Record<string, Record<string, string[]>>;
  for (const [name, rights] of Object.values(roles).flatMap((role) => Object.entries(role))) {
    if (!rights.includes('remove')) continue;
    const { kept, erased } = rowOf.get(name)!;
    expect([name, kept === 'for good' && erased === '']).toEqual([name, false]);
  }
  const settings = Object.keys(ALL_SETTINGS).filter((name) => name.includes('RETENTION'));
  expect(settings.filter((name) => !lines.some((line) => line.includes(name)))).toEqual([]);
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
