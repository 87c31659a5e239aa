import {
  addLateness,
  howLate,
  type HowLate,
  lateAfter,
  type Lateness,
  latenessOf,
  sayConfirmed,
  sayShare,
  sayWaiting,
  sumWaits,
  waitsOf,
} from '../../domain/deliveries/lateness';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time/spans';

const NOW = Date.parse('2026-11-27T08:00:00Z');
const ago = (ms: number) => NOW - ms;
const record = (position: number, minutes: number) => ({
  position,
  updated_at: new Date(ago(minutes * MINUTE_MS)),
});
const ALL = { above: 0, born: 0, held: 0 };
const NONE = { records: 0, since: null };

test('changes of one moment are one wait; the cadence and five minutes are in time, a moment more is not', () => {
  const waits = waitsOf([record(1, 65), record(2, 65), record(3, 65.1), record(4, 1)], ALL, NOW);
  expect(waits.map(({ records }) => records)).toEqual([2, 1, 1]);
  expect(sumWaits(waits, HOUR_MS)).toEqual({ records: 4, late: 1, seconds: expect.closeTo(11_766, 0) });
  expect(lateAfter(HOUR_MS)).toBe(65 * MINUTE_MS);
});

test('of what a reset sends again no time is looked at', () => {
  const time = jest.fn(() => new Date(NOW));
  const page = [1, 2, 3].map((position) => ({
    position,
    get updated_at() {
      return time();
    },
  }));
  expect(waitsOf(page, { ...ALL, above: 2 }, NOW)).toHaveLength(1);
  expect(time).toHaveBeenCalledTimes(1);
});

test('changes that were confirmed before, or stored before the channel, do not count', () => {
  const page = [record(7, 300), record(8, 90), record(9, 90)];
  expect(waitsOf(page, { ...ALL, above: 8, born: ago(100 * MINUTE_MS) }, NOW)).toEqual([
    { seconds: 5_400, records: 1 },
  ]);
  expect(waitsOf(page, { ...ALL, above: Infinity }, NOW)).toEqual([]);
  const known = addLateness(undefined, { records: 1, late: 0, seconds: 1 }, NOW);
  expect(latenessOf(page, { ...ALL, above: Infinity, lateness: known }, HOUR_MS, NOW)).toBeUndefined();
});

test('changes that the customer kept waiting count from the end of that wait, and never below zero', () => {
  const page = [record(1, 300), record(2, 2)];
  const held = (minutes: number) => waitsOf(page, { ...ALL, held: ago(minutes * MINUTE_MS) }, NOW);
  expect(held(10).map(({ seconds }) => seconds)).toEqual([600, 120]);
  expect(held(-60).map(({ seconds }) => seconds)).toEqual([0, 0]);
});

test('this week and the week before are kept, whatever lies between two confirmations', () => {
  const one = { records: 1, late: 1, seconds: 60 };
  const first = addLateness(undefined, one, NOW);
  const same = addLateness(first, one, NOW + 1);
  const next = addLateness(same, one, NOW + 7 * DAY_MS);
  const later = addLateness(next, one, NOW + 30 * DAY_MS);
  expect(same).toEqual({ week: first.week, records: 2, late: 2, seconds: 120 });
  expect(next).toEqual({ week: first.week + 1, ...one, before: { records: 2, late: 2, seconds: 120 } });
  expect(later).toEqual({ week: first.week + 4, ...one });
});

describe('a channel', () => {
  const types = (lateness: Lateness, late: { records: number; since: Date | null } = NONE) => [
    { lateness, late },
    { lateness: undefined, late: NONE },
  ];
  const created_at = new Date(0);
  const busy = addLateness(undefined, { records: 12_304, late: 2, seconds: 12_304 * 41 }, NOW);

  test('has one figure, which drops weeks that are too old', () => {
    const say = (ms: number) => sayConfirmed({ created_at }, howLate(types(busy), new Date(NOW + ms)));
    expect(say(0)).toBe(
      '99.98 % of 12,304 changes confirmed in time since 2026-11-19, after 41 s on average',
    );
    expect(say(7 * DAY_MS)).toMatch(/^99.98 % .* since 2026-11-26/);
    expect(say(14 * DAY_MS)).toBe('no change was confirmed since 2026-12-03');
    expect(sayShare({ records: 100_000, late: 4 } as HowLate)).toBe('99.99 %');
    expect(sayConfirmed({ delivery: 'pull', created_at }, howLate(types(busy), new Date(NOW)))).toMatch(
      /^not counted/,
    );
  });

  test('says nothing of the time before it was created', () => {
    const created = { created_at: new Date(NOW) };
    const today = new Date(NOW).toISOString().slice(0, 10);
    expect(sayConfirmed(created, howLate(types(busy), new Date(NOW)))).toContain(`in time since ${today}, `);
    expect(sayConfirmed(created, howLate([], new Date(NOW)))).toBe(`no change was confirmed since ${today}`);
  });

  test('says what waits too long now', () => {
    const since = new Date(ago(91 * MINUTE_MS));
    const waiting = (records: number) =>
      sayWaiting(howLate(types(busy, { records, since }), new Date(NOW)), new Date(NOW));
    expect(waiting(12)).toBe('12 changes are late, the oldest waits for 1 h 31 min');
    expect(waiting(1)).toMatch(/^1 change is late/);
    expect(sayWaiting(howLate(types(busy), new Date(NOW)), new Date(NOW))).toBeUndefined();
  });
});
