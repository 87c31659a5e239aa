import { impossible } from './ledger';

const entry = (note: string, began: number, answered: number) => ({
  note,
  records: ['tickets T1'],
  began: String(began),
  answered: String(answered),
});
const stored = (note: string) => new Map([['tickets T1', note]]);

test('the last one wins; of those that overlap, either', () => {
  const ledger = [entry('a', 1, 2), entry('b', 3, 9), entry('c', 5, 7)];
  expect(impossible(ledger, stored('b'))).toEqual([]);
  expect(impossible(ledger, stored('c'))).toEqual([]);
});

test('a version acknowledged before another was begun, one never pushed, and one never stored are found', () => {
  const ledger = [entry('a', 1, 2), entry('b', 3, 9)];
  for (const wrong of [stored('a'), stored('x'), new Map()]) {
    expect(impossible(ledger, wrong)).toEqual(['tickets T1']);
  }
});
