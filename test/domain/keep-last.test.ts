import { keepLast } from '../../domain/records/keep-last';

test('the texts that were asked for last are made once, and the others anew', () => {
  const made: string[] = [];
  const kept = keepLast(2, (text) => {
    made.push(text);
    return { text };
  });
  for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) expect(kept(text)).toEqual({ text });
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

test('what fails is not kept', () => {
  let times = 0;
  const kept = keepLast(2, () => {
    if (++times === 1) throw new Error('once');
    return times;
  });
  expect(() => kept('a')).toThrow('once');
  expect([kept('a'), kept('a')]).toEqual([2, 2]);
});
