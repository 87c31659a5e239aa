import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ANSWER_EFFECTS } from '../../domain/answer-effects';

const DOCS = path.join(__dirname, '../../docs');
const guide = readFileSync(path.join(DOCS, 'customer.md'), 'utf8');

test.each(Object.entries(ANSWER_EFFECTS))('the guide’s table says of %s what the code says', (name, row) => {
  const { answers, effect, mend } = row;
  expect(guide).toContain(`\n| ${answers} | \`${name}\` | ${effect} | ${mend ?? ''} |\n`);
});

test('every sample that it names is there', () => {
  const named = [...guide.matchAll(/\]\((samples\/[^)]+)\)/g)].map(([, file]) => file!);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((file) => !existsSync(path.join(DOCS, file)))).toEqual([]);
});
