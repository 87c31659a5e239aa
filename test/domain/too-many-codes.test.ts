import { tooManyCodes } from '../../domain/deliveries/code-status';

test('an ordinary number of codes raises no alert', () => {
  const most = { wrong: 60, barred: 40, limited: 100, withheld: 60, impossible: 40, sent: 2_000 };
  expect(tooManyCodes(most)).toEqual([]);
  expect(tooManyCodes({ right: 10_000, failed: 10_000, over: 10_000 })).toEqual([]);
  expect(tooManyCodes({})).toEqual([]);
});

test('one more of each is, worst first', () => {
  const counts = { sent: 2_001, wrong: 60, barred: 41, limited: 100, withheld: 60, impossible: 41 };
  expect(tooManyCodes(counts)).toEqual([
    '101 wrong codes were entered within an hour',
    '201 codes were asked for and not sent within an hour',
    '2001 codes were sent within an hour',
  ]);
});

test.each([
  ['wrong', 101],
  ['barred', 101],
  ['limited', 201],
  ['withheld', 201],
  ['impossible', 201],
] as const)('%s alone counts', (status, count) => expect(tooManyCodes({ [status]: count })).toHaveLength(1));
