import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { FAULTS } from './all-faults';
import { NotPlantable, type PlantedFault, plant } from './planted-fault';
import { TestTitles } from './test-titles';

const read = (file: string) => readFileSync(path.join(checkout, file), 'utf8');

test('each can be planted', () => {
  expect(FAULTS.flatMap((fault) => whyNotPlantable(fault) ?? [])).toEqual([]);
});

function whyNotPlantable(fault: PlantedFault): string | undefined {
  const { name, file, find, replace } = fault;
  if (find === replace) return `${name}: it changes nothing; mark it as [-taken out-] or {+put in+}`;
  if (!existsSync(path.join(checkout, file))) return `${name}: there is no ${file}`;
  try {
    plant(read(file), fault);
    return undefined;
  } catch (error) {
    return (error as NotPlantable).message;
  }
}

test('the test named for each exists', () => {
  const titles = new TestTitles(read);
  const missing = FAULTS.filter(({ test: { path: file, name } }) => !titles.has(file, name));
  expect(missing.map(({ name, test }) => `${name}: ${test.path} has no test "${test.name}"`)).toEqual([]);
});

test('there are at least 60 of them, no two of one name', () => {
  const names = FAULTS.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(60);
  expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
});

test('all of one source file stand together', () => {
  const groups = FAULTS.map(({ file }) => file).filter((file, index, files) => file !== files[index - 1]);
  expect(groups.filter((file, index) => groups.indexOf(file) < index)).toEqual([]);
});

test('a text that is not there, or there twice, is an error that says so', () => {
  const fault = { ...FAULTS[0]!, name: 'one', file: 'a.ts', find: 'x', replace: 'y' };
  expect(() => plant('none', fault)).toThrow(
    new NotPlantable('one: a.ts holds its text 0 times instead of once'),
  );
  expect(() => plant('x and x', fault)).toThrow('2 times');
});
