import { TestTitles } from './test-titles';

const FILES: Record<string, string> = {
  'test/store/a.test.ts': `
    import { ROWS } from './rows';
    import { bothHalves } from './both-halves';
    const own = [['last', 1]] as const;
    describe('a page', () => {
      test('ends where the budget is full', async () => { say('what is only said'); });
      slowTest(\`waits \${seconds} s\`, () => {});
    });
    test.each([...ROWS, ...own])('%s', () => {});
    describe.each(ROWS)('the tokens of one %s', () => { it('are revoked', () => {}); });
    it.each([{ name: 'green', many: 2 }])('$name wheat, %s', () => {});
    test.each(made())('gdx %s', () => {});
    // test('left out', () => {});
    bothHalves('a reset moves back', async () => {});
    other('what is no title', async () => {});
  `,
  'test/store/rows.ts': `export const ROWS = [['integration'], ['channel']];`,
  'test/store/both-halves.ts': `export function bothHalves(title: string, play: () => void) { test(title, play); }`,
};
const titles = new TestTitles((file) => FILES[file]!);
const has = (name: string) => titles.has('test/store/a.test.ts', name);

test.each([
  ['a title', 'ends where the budget is full'],
  ['part of it', 'the budget is full'],
  ['a title behind the one around it', 'a page ends where the budget is full'],
  ['a title with a variable', 'waits 5 s'],
  ['a title out of a table', 'last'],
  ['a title out of a table of another file', 'channel'],
  ['a title with what a table fills in', 'the tokens of one channel are revoked'],
  ['a title with a property', 'green wheat, 2'],
  ['a title from a table that is computed', 'gdx deliveries'],
  ['a title of a function that takes one', 'a reset moves back'],
])('%s is there', (_, name) => expect(has(name)).toBe(true));

test.each([
  ['a text that is no title', 'what is only said'],
  ['a comment', 'left out'],
  ['a text for a function that takes no title', 'what is no title'],
  ['what stands in no table', 'the tokens of one farmer are revoked'],
  ['part of what a table fills in', 'chan'],
  ['titles of two tests', 'the budget is full are revoked'],
  ['part of a title with what a table fills in', 'tokens of one channel'],
])('%s is not', (_, name) => expect(has(name)).toBe(false));
