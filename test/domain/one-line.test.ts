import { oneLine } from '../../domain/text/one-line';

test.each([
  ['  Acme Insurance ', 'Acme Insurance'],
  ['x', 'x'],
  ['x'.repeat(200), 'x'.repeat(200)],
  [`${'x'.repeat(200)} `, 'x'.repeat(200)],
  ['\u200e Acme\u00a0\u200b', 'Acme'],
  ['\u200b', undefined],
  ['\u00a0\ufeff', undefined],
  ['', undefined],
  [' \n', undefined],
  ['x'.repeat(201), undefined],
  ['two\nlines', undefined],
  ['a\u007f.', undefined],
])('%j is kept as %j', (text, kept) => expect(oneLine(text)).toBe(kept));
