import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type DigestRange, DigestRanges } from '../../domain/records/digest-ranges';
import { digestLine } from '../../domain/records/digest';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const byBytes = (one: string, other: string) => Buffer.from(one).compare(Buffer.from(other));
const sorted = (ids: string[]) => [...new Set(ids)].sort(byBytes);

const recordOf = (id: string, pending = false) => ({ id, updated_at: new Date(0), pending });

function compare(ranges: DigestRange[], records: ReturnType<typeof recordOf>[], mostKept?: number) {
  const compared = new DigestRanges<ReturnType<typeof recordOf>>(ranges, mostKept);
  const listed = [...records.flatMap((record) => compared.add(record)), ...compared.finish()];
  return { compared, listed: listed.map(({ id }) => id) };
}

const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3, unit: 'grapheme' }), { maxLength: 30 });

test('lists exactly the ranges in which both sides hold something else, in order, whatever can be kept', () => {
  fc.assert(
    fc.property(ids, ids, ids, ids, fc.integer({ min: 1, max: 40 }), (both, ours, theirs, ends, most) => {
      const cuts = [...sorted(ends), undefined];
      const rangeOf = (id: string) => cuts.findIndex((end) => end === undefined || byBytes(id, end) <= 0);
      const held = sorted([...both, ...ours]);
      const there = sorted([...both, ...theirs]);
      const inRange = (list: string[], index: number) => list.filter((id) => rangeOf(id) === index);
      const ranges = cuts.map((upTo, index) => ({
        upTo,
        hash: sha256(
          inRange(held, index)
            .map((id) => digestLine(recordOf(id)))
            .join(''),
        ),
      }));
      const { compared, listed } = compare(
        ranges,
        there.map((id) => recordOf(id)),
        most,
      );
      const expected = cuts
        .map((_, index) => index)
        .filter((index) => {
          const found = inRange(there, index);
          return found.length > most || found.join() !== inRange(held, index).join();
        });
      expect(compared.differing).toEqual(expected);
      expect(listed).toEqual(expected.flatMap((index) => inRange(there, index)));
      expect(compared.records).toBe(there.length);
    }),
  );
});

test('a range of more than can be kept is listed to its end, whatever its hash', () => {
  const records = ['a', 'b', 'c', 'd', 'e'].map((id) => recordOf(id));
  const hashOf = (some: typeof records) => sha256(some.map(digestLine).join(''));
  const ranges = [
    { upTo: 'd', hash: hashOf(records.slice(0, 4)) },
    { upTo: undefined, hash: hashOf(records.slice(4)) },
  ];
  const { compared, listed } = compare(ranges, records, 2);
  expect([listed, compared.differing]).toEqual([['a', 'b', 'c', 'd'], [0]]);
});

test('a pending record is counted apart, not hashed, and listed where the range differs', () => {
  const records = [recordOf('a'), recordOf('b', true)];
  const hash = sha256(digestLine(records[0]!));
  const same = compare([{ upTo: undefined, hash }], records);
  expect([same.listed, same.compared.records, same.compared.pending]).toEqual([[], 1, 1]);
  expect(compare([{ upTo: undefined, hash: sha256('') }], records).listed).toEqual(['a', 'b']);
});
