import { legible, trimmed, unseenNamed, whyUnseen } from '../../domain/text/pasted-text';
import { BLANKS, pastedForms, UNSEEN } from '../setup/pasted';

test.each(pastedForms('701-x_9'))('%j is legible', (pasted) => expect(legible(pasted)).toBe('701-x_9'));

test('at both ends goes what cannot be seen, and within it is kept', () => {
  const unseen = [...UNSEEN, ...BLANKS, ' ', '\t', '\r\n', '\u{e0001}'];
  for (const one of unseen) {
    expect(trimmed(`${one}${one}a${one}b🌾${one}`)).toBe(`a${one}b🌾`);
    expect(trimmed(`${one} ${one}`)).toBe('');
  }
  expect([trimmed(''), trimmed('a'), trimmed('\udc00')]).toEqual(['', 'a', '\udc00']);
});

test('a million blanks within take no time', () => {
  const long = `a${' '.repeat(1_000_000)}b`;
  expect(trimmed(long)).toBe(long);
});

test('it is named, and so are blanks that do not break', () => {
  expect(whyUnseen('https://a.example/b c')).toBeUndefined();
  expect(whyUnseen('a\u200bb')).toBe('holds U+200B, which cannot be seen');
  for (const one of [...UNSEEN, ...BLANKS]) expect(whyUnseen(`a${one}b`)).toMatch(/^holds U\+/);
  expect(unseenNamed('a\u00a0b\u{e0001}c d\n')).toBe('a<U+00A0>b<U+E0001>c d\n');
});

test.each([
  ['U+0301', '\u0301'],
  ['U+093C', '\u093c'],
  ['U+FF9E', '\uff9e'],
])('30 marks %s on a letter are read, and 31 are left as they are', (_, mark) => {
  const full = '\uff21'; // full-width, which becomes plain
  expect([30, 31].map((marks) => legible(full + mark.repeat(marks)).startsWith(full))).toEqual([false, true]);
});
