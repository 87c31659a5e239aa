import { check, sayVerdict } from '../../../tools/demo/verdict';

test('a number that is not what it should be is said; the others pass', () => {
  check('records', 3, 3);
  expect(sayVerdict(Date.now())).toEqual([]);
  check('the reset', { records: 2, pages: 1 }, { records: 2, pages: 2 });
  expect(sayVerdict(Date.now())).toEqual([
    'the reset: expected {"records":2,"pages":2}, got {"records":2,"pages":1}',
  ]);
});
