import { isStale, staleAfter, staleMessage } from '../../domain/deliveries/freshness';

const FRESH = new Date('2026-11-21T08:00:30Z');
const later = (ms: number) => new Date(FRESH.getTime() + ms);

test('a channel is stale after two cadences, and never within a minute', () => {
  expect([1_000, 30_000, 900_000].map(staleAfter)).toEqual([60_000, 60_000, 1_800_000]);
  expect([1_800_000, 1_800_001].map((ms) => isStale(FRESH, 900_000, later(ms)))).toEqual([false, true]);
});

test('the alert says since when, how often a run is due, and where to look', () =>
  expect(staleMessage({ _id: 'acme', name: 'Acme', cadence_ms: 900_000 }, FRESH)).toBe(
    'Acme has confirmed nothing, and no run was empty, since 2026-11-21 08:00 UTC, though a run is due every 15m: ' +
      'see gdx deliveries acme, and whether the worker runs',
  ));

test('of a channel whose customer collects, it says to ask the customer', () =>
  expect(staleMessage({ _id: 'acme', name: 'Acme', cadence_ms: 900_000, delivery: 'pull' }, FRESH)).toBe(
    'Acme has collected and confirmed nothing since 2026-11-21 08:00 UTC: ask whether its program runs, and see gdx deliveries acme',
  ));
