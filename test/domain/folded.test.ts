import { folded, hasWords } from '../../domain/text/folded';

const APOSTROPHES = ["'", '’', '‘', '`', '´', '′', 'ʼ', '＇'];
const HYPHENS = ['-', '‐', '‑', '–', '—', '−', '－', ' ', '\u00a0', '\u2009', '_'];

test('each apostrophe finds each other, and so does none', () => {
  for (const kept of APOSTROPHES)
    for (const typed of [...APOSTROPHES, ''])
      expect([kept, typed, hasWords(`O${kept}Brien Farms`, `o${typed}brien`)]).toEqual([kept, typed, true]);
});

test('each hyphen and blank finds each other', () => {
  for (const kept of HYPHENS)
    for (const typed of HYPHENS)
      expect([kept, typed, hasWords(`Meyer${kept}Olson`, `Meyer${typed}Ols`)]).toEqual([kept, typed, true]);
});

test.each([
  ['Muñoz', 'munoz'],
  ['Munoz', 'Muñoz'],
  ['Nun\u0303ez', 'Nuñez'],
  ['Strauß', 'STRAUSS'],
  ['Sørensen', 'sorensen'],
  ['İnan', 'inan'],
  ['Dale & Ruth', 'dale & ruth'],
  ['Ｄａｌｅ', 'dale'],
  ['Farm #2, LLC', 'farm 2 llc'],
  // What one keyboard joins another one parts.
  ['Mc Donald', 'mcdonald'],
  ['López-García', 'lopezgarcia'],
  ['Meyer Olson', 'meyer\u200bolson'],
  ['Meyer\u3164Olson', 'meyer olson'],
  ['O\ua78cBrien', 'obrien'],
  ['D᾽Angelo', "d'angelo"],
  ['Lindström', 'lindstro\u0308m'],
])('%j is found by %j', (name, typed) => expect(hasWords(name, typed)).toBe(true));

test('names, companies and numbers are searched each by itself, whatever their length', () => {
  const text = `${'x'.repeat(1_500)}\nPrairie Co-op\n1001`;
  expect([hasWords(text, '1001 prairie'), hasWords(text, 'op1001'), hasWords(text, 'coop')]).toEqual([
    ...[true, false, true],
  ]);
});

test('what is not there is not found, and nothing finds all', () => {
  expect([hasWords('Meyer', 'Meyers'), hasWords('Meyer', ''), hasWords('Meyer', '-')]).toEqual([
    false,
    true,
    true,
  ]);
  expect(folded('a\u0301'.repeat(1_000_000))).toHaveLength(500);
});
