import v8 from 'node:v8';
import { keepIdleHeapSmall } from '../../worker/idle-heap';

const BY_V8 = '--heap-growing-percent=0';
const SMALL = '--heap-growing-percent=15';

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

test('the heap is bounded from the start, left to V8 by each delivery, and bounded again ten seconds after the last', async () => {
  jest.useFakeTimers();
  const set: string[] = [];
  jest.spyOn(v8, 'setFlagsFromString').mockImplementation((flag) => void set.push(flag));
  const ends: (() => void)[] = [];
  const deliverPages = keepIdleHeapSmall(() => new Promise<void>((end) => ends.push(end)));
  expect(set.splice(0)).toEqual([SMALL]);

  const both = [deliverPages(undefined), deliverPages(undefined)];
  expect(set.splice(0)).toEqual([BY_V8, BY_V8]);
  ends[0]!();
  await both[0];
  await jest.advanceTimersByTimeAsync(60_000);
  expect(set).toEqual([]); // the other one delivers

  ends[1]!();
  await both[1];
  await jest.advanceTimersByTimeAsync(9_000);
  const next = deliverPages(undefined);
  expect(set.splice(0)).toEqual([BY_V8]);
  await jest.advanceTimersByTimeAsync(60_000);
  ends[2]!();
  await next;
  expect(set).toEqual([]);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(set).toEqual([SMALL]);
});

test('a delivery that fails counts no longer', async () => {
  jest.useFakeTimers();
  const set: string[] = [];
  jest.spyOn(v8, 'setFlagsFromString').mockImplementation((flag) => void set.push(flag));
  const deliverPages = keepIdleHeapSmall(() => Promise.reject(new Error('MongoDB is away')));
  await expect(deliverPages(undefined)).rejects.toThrow('MongoDB is away');
  await jest.advanceTimersByTimeAsync(10_000);
  expect(set.at(-1)).toBe(SMALL);
});
