import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { slowTest } from '../setup/cases';
import { checkout } from '../../tools/local/checkout';

// tools/lint is made of ES modules, which jest does not load: asked in a process of its own.
const ask = (expression: string): unknown => {
  const module = path.join(checkout, 'tools/lint/read-house.mjs');
  const script = `import { circlesOf, namesakesOf } from '${module}'; console.log(JSON.stringify(${expression}));`;
  return JSON.parse(String(execFileSync(process.execPath, ['--input-type=module', '-e', script])));
};
const house = (files: Record<string, string[]>, key: 'imports' | 'exports') => {
  const other = key === 'imports' ? 'exports' : 'imports';
  return `new Map(${JSON.stringify(Object.entries(files).map(([file, of]) => [file, { [key]: of, [other]: [] }]))})`;
};

slowTest('files that import each other in a circle are found, however long it is', () => {
  const files = { 'a.ts': ['b.ts'], 'b.ts': ['c.ts', 'd.ts'], 'c.ts': ['a.ts'], 'd.ts': [] };
  expect(ask(`circlesOf(${house(files, 'imports')})`)).toEqual([['a.ts', 'b.ts', 'c.ts']]);
  expect(ask(`circlesOf(${house({ ...files, 'c.ts': ['d.ts'] }, 'imports')})`)).toEqual([]);
});

test('one name exported by two files of the product is found', () => {
  const files = { 'store/a.ts': ['Page'], 'api/b.ts': ['Page', 'Row'], 'test/c.ts': ['Row'] };
  expect(ask(`[...namesakesOf(${house(files, 'exports')})]`)).toEqual([['Page', ['store/a.ts', 'api/b.ts']]]);
});
