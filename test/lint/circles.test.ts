import { slowTest } from '../setup/cases';
import { askHouse } from './ask-house';

const house = (files: Record<string, string[]>, key: 'imports' | 'exports') => {
  const other = key === 'imports' ? 'exports' : 'imports';
  return `new Map(${JSON.stringify(Object.entries(files).map(([file, of]) => [file, { [key]: of, [other]: [] }]))})`;
};

slowTest('files that import each other in a circle are found, however long it is', () => {
  const files = { 'a.ts': ['b.ts'], 'b.ts': ['c.ts', 'd.ts'], 'c.ts': ['a.ts'], 'd.ts': [] };
  expect(askHouse(`circlesOf(${house(files, 'imports')})`)).toEqual([['a.ts', 'b.ts', 'c.ts']]);
  expect(askHouse(`circlesOf(${house({ ...files, 'c.ts': ['d.ts'] }, 'imports')})`)).toEqual([]);
});

test('one name exported by two files of the product is found', () => {
  const files = { 'store/a.ts': ['Page'], 'api/b.ts': ['Page', 'Row'], 'test/c.ts': ['Row'] };
  expect(askHouse(`[...namesakesOf(${house(files, 'exports')})]`)).toEqual([
    ['Page', ['store/a.ts', 'api/b.ts']],
  ]);
});
