import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';

const read = (file: string) => readFileSync(path.join(checkout, file), 'utf8');
const DELIVER = 'activities/deliver';
const way = [
  ...readdirSync(path.join(checkout, DELIVER)).map((file) => `${DELIVER}/${file}`),
  ...['channel-feed', 'channel-state', 'lane', 'run-delivery', 'work-lanes'].map(
    (file) => `workflows/${file}.ts`,
  ),
  ...['activities/plan-run.ts', 'domain/deliveries/delivery.ts', 'domain/deliveries/search-refused.ts'],
]
  .map(read)
  .join('\n');

const [, section = ''] = /^### The words of a page's way\n([^]*?)^The rest is plain/m.exec(
  read('docs/architecture.md'),
)!;
const words = [...section.matchAll(/^\| (?!word |---)(.+?) \| (.+?) \|/gm)].map(
  ([, word, meaning]) => [word!, meaning!] as const,
);

/** In the code a word may be `layOut`, `undecided` or "lays out". */
const isUsed = (word: string) => {
  const parts = word
    .replaceAll('`', '')
    .split(' ')
    .map((part) => part.replace(/e$|y$/, ''));
  return new RegExp(`${parts.join('[a-z]*[ _-]?')}`, 'i').test(way);
};

test('at most forty words, each once, in a sentence, and used', () => {
  expect(words.length).toBeGreaterThan(30);
  expect(words.length).toBeLessThanOrEqual(40);
  expect(new Set(words.map(([word]) => word)).size).toBe(words.length);
  expect(words.filter(([, meaning]) => meaning.split(' ').length < 3)).toEqual([]);
  expect(words.map(([word]) => word).filter((word) => !isUsed(word))).toEqual([]);
  expect(isUsed('lazy page')).toBe(false);
});

test.each([
  ['undecided', /\bapart\b/i],
  ['give out', /\bhand(s|ed)? ?out\b/i],
  ['move', /\bunpassed\b|'pass'|\bpass(es)?\(/i],
  ['spent, of a run alone', /\bisSpent\b/],
  ['too long', /\boutgrown\b/i],
])('%s has no second word', (_word, other) => expect(other.exec(way)).toBeNull());
