import fc from 'fast-check';
import { mergePositions } from '../../domain/records/merge-positions';

const ascending = fc
  .uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 20 })
  .map((list) => list.sort((one, other) => one - other));

test('two lists become one, ascending, without duplicates, cut to the most', () => {
  fc.assert(
    fc.property(ascending, ascending, fc.nat(45), (some, others, room) => {
      const most = Math.max(room, some.length);
      const all = [...new Set([...some, ...others])].sort((one, other) => one - other);
      expect(mergePositions(some, others, most)).toEqual(all.slice(0, most));
    }),
  );
});

test('the list itself, where there is nothing to merge', () => {
  const some = [1, 2];
  expect(mergePositions(some, [], 2)).toBe(some);
});
