import { requestBatches } from '../../cli/push/batches';

const MIB = 1024 * 1024;

/** The lines of each batch of such records. */
async function linesOf(notes: string[], size: number): Promise<number[][]> {
  const records = (async function* () {
    for (const [index, note] of notes.entries())
      yield { line: index + 2, record: { id: `T-${index}`, note } };
  })();
  const found: number[][] = [];
  for await (const { number, lines } of requestBatches(records, { type: 'tickets' }, size)) {
    expect(number).toBe(found.length);
    found.push(lines);
  }
  return found;
}

test('a request has as many records as asked for, the last one the rest', async () => {
  expect(await linesOf(['a', 'b', 'c', 'd', 'e'], 2)).toEqual([[2, 3], [4, 5], [6]]);
  expect(await linesOf(['a', 'b'], 2)).toEqual([[2, 3]]);
  expect(await linesOf([], 2)).toEqual([]);
});

test('a request stays well below the 16 MiB that the service takes, in any alphabet', async () => {
  const large = 'x'.repeat(5 * MIB);
  expect(await linesOf([large, large, large, 'a', 'b'], 1_000)).toEqual([[2], [3], [4, 5, 6]]);
  expect(await linesOf(['x'.repeat(7 * MIB), 'x'.repeat(14 * MIB), 'a'], 1_000)).toEqual([[2], [3], [4]]);
  const wide = '\u20ac'.repeat(3 * MIB); // three bytes each
  expect(await linesOf([wide, wide], 1_000)).toEqual([[2], [3]]);
});
