import { parseRetryAfter, retryBudget, retryDelay } from '../../domain/deliveries/retry-delay';

const NOW = Date.parse('2026-11-21T08:00:00Z');

test('the wait doubles from one second to five minutes', () => {
  const longest = Array.from({ length: 11 }, (_, index) => retryDelay(index + 1, 1) / 1_000);
  expect(longest).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
});

test('jitter spreads it over the upper half', () => {
  expect([0, 0.5, 0.9999].map((random) => retryDelay(2, random))).toEqual([1_000, 1_500, 2_000]);
});

test.each<[text: string | undefined, wait: number | undefined]>([
  [undefined, undefined],
  ['0', 1_000],
  ['7', 7_000],
  ['3600', 3_600_000],
  ['86400', 3_600_000],
  ['-5', undefined],
  ['5s', undefined],
  ['x5', undefined],
  ['', undefined],
  ['soon', undefined],
  ['2026-11-21T08:10:00Z', undefined],
  ['Sat, 21 Nov 2026 08:10:00 GMT', 600_000],
  ['Sat, 21 Nov 2026 08:10:00', 600_000],
  ['Saturday, 21-Nov-26 08:10:00 GMT', 600_000],
  ['Sat Nov 21 08:10:00 2026', 600_000],
  ['Sat, 21 Nov 2026 07:00:00 GMT', 1_000],
  ['after Sat, 21 Nov 2026 08:10:00 GMT', undefined],
  ['Sat, 21 Nov 2026', undefined],
  ['20, 30', 30_000],
  ['30,20', 30_000],
  ['20 ,', 20_000],
  [',', undefined],
  ['20, Sat, 21 Nov 2026 08:10:00 GMT', 600_000],
  ['Saturday, 21-Nov-26 08:10:00 GMT, 20', 600_000],
  ['soon, 20', 20_000],
  ['-5, x', undefined],
])('Retry-After %j waits %j ms', (text, wait) => expect(parseRetryAfter(text, NOW)).toBe(wait));

test('a delivery waits four fifths of its cadence, and at least 30 s', () => {
  expect([1_000, 37_500, 100_000].map(retryBudget)).toEqual([30_000, 30_000, 80_000]);
});
