import { impossible, outOfTurn } from './ledger';

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

test('what arrives after a record that was begun later than it was acknowledged is out of turn', () => {
  const once = (id: string, began: number, answered: number) => ({
    ...entry(id, began, answered),
    records: [`settlements ${id}`],
  });
  const ledger = [once('a', 1, 4), once('b', 3, 5), once('c', 6, 7)];
  const inOrder = (...ids: string[]) =>
    outOfTurn(
      ledger,
      ids.map((id) => `settlements ${id}`),
    );
  expect(inOrder('a', 'b', 'c')).toEqual([]);
  expect(inOrder('b', 'a', 'c', 'a')).toEqual([]); // they overlap, and one came again
  expect(inOrder('a', 'c', 'b')).toEqual(['settlements b']);
});
