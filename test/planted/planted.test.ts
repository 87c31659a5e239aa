import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { FAULTS } from './all-faults';
import { NotPlantable, plant } from './planted-fault';

const read = (file: string) => readFileSync(path.join(checkout, file), 'utf8');

test.each(FAULTS)('$name can be planted', (fault) => {
  expect(plant(read(fault.file), fault)).not.toBe(read(fault.file));
});

test.each(FAULTS)('the test named for $name exists', ({ test: { path: file, name } }) => {
  expect(name).not.toBe('');
  expect(holdsTest(file, name)).toBe(true);
});

/** Whether a test file, or one that it imports from its folder, holds the name; a `%s` stands for any text. */
function holdsTest(file: string, name: string): boolean {
  const source = read(file);
  const imported = [...source.matchAll(/from '\.\/(.+)'/g)].map((match) =>
    read(`${path.dirname(file)}/${match[1]}.ts`),
  );
  if ([source, ...imported].some((text) => text.includes(name))) return true;
  const titles = [...source.matchAll(/'(.*%s.*)'/g)]
    .map((match) => match[1]!)
    .filter((title) => title !== '%s');
  return titles.some((title) => fitsTitle(name, title));
}

function fitsTitle(name: string, title: string): boolean {
  const fixed = title.split('%s').map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${fixed.join('.+')}$`).test(name);
}

test('there are at least 60 of them, no two of one name', () => {
  expect(FAULTS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
});

test('a text that is not there, or there twice, is an error that says so', () => {
  const fault = { ...FAULTS[0]!, name: 'one', file: 'a.ts', find: 'x', replace: 'y' };
  expect(() => plant('none', fault)).toThrow(
    new NotPlantable('one: a.ts holds its text 0 times instead of once'),
  );
  expect(() => plant('x and x', fault)).toThrow('2 times');
});
