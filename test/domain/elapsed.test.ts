import { hasCome, isYounger, msAhead, msSince, msUntil } from '../../domain/time/elapsed';
import { HOUR_MS, MINUTE_MS } from '../../domain/time/spans';

afterEach(() => jest.restoreAllMocks());

const NOW = Date.parse('2026-11-29T12:00:00Z');
const at = (ms: number) => new Date(NOW + ms);
beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(NOW));

test('what lies ahead has no age, and what has come takes no more time', () => {
  expect([msSince(at(-5)), msSince(at(5)), msUntil(at(5)), msUntil(at(-5))]).toEqual([5, 0, 5, 0]);
  expect([hasCome(at(-1)), hasCome(at(0)), hasCome(at(1))]).toEqual([true, true, false]);
  expect([msAhead(at(7)), msAhead(at(-7))]).toEqual([7, -7]);
});

test('what a clock has stored that was set back since is not taken for recent, for hours', () => {
  const isRecent = (ms: number) => isYounger(at(ms), MINUTE_MS);
  expect([-2 * MINUTE_MS, -MINUTE_MS, 1 - MINUTE_MS, 0].map(isRecent)).toEqual([false, false, true, true]);
  expect(isRecent(5_000)).toBe(true); // of another process, whose clock is a little ahead
  expect(isRecent(2 * HOUR_MS)).toBe(false);
});
