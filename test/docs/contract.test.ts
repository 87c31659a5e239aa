import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';

const page = readFileSync(path.join(checkout, 'docs/contract.md'), 'utf8');
const promises = page.split(/^- (?=\*\*)/m).slice(1);
const ids = promises.map((promise) => /^\*\*([A-Z]\d+)\*\* /.exec(promise)?.[1]);

test('every promise of the contract has an id of its own', () => {
  expect(ids.length).toBeGreaterThan(50);
  expect(ids).not.toContain(undefined);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each(promises.map((promise, index) => [ids[index], promise]))('%s names a test', (_id, promise) => {
  expect(promise).toMatch(/\]\(\.\.\/test\/[\w/.-]+\.ts\)/);
});
