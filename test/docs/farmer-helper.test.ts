import { readFileSync } from 'node:fs';
import path from 'node:path';
import { en } from '../../api/farmer/texts/en';
import { checkout } from '../../tools/local/checkout';

const guide = readFileSync(path.join(checkout, 'docs/farmer-helper.md'), 'utf8');

test('whoever answers a farmer finds each page that says what is wrong, by its title', () => {
  const titles = Object.values(en.pageError).flatMap((page) => ('title' in page ? page.title : []));
  titles.push(en.broken.title, ...Object.values(en.refusedLink).map(({ title }) => title));
  titles.push(en.accounts.crowded.title);
  expect(titles.length).toBeGreaterThan(10);
  expect(titles.filter((title) => !guide.includes(title.replaceAll('’', "'")))).toEqual([]);
});

test('it has no command: those are the operator’s', () => expect(guide).not.toMatch(/\bgdx \w/));
