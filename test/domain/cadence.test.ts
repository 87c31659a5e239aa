import fc from 'fast-check';
import { formatCadence, nextDue, parseCadence } from '../../domain/deliveries/cadence';

const HOUR = 3_600_000;
const slug = fc.stringMatching(/^[a-z][a-z0-9-]{0,40}$/);
const cadence = fc.integer({ min: 1_000, max: 24 * HOUR });
const now = fc.integer({ min: 0, max: 4_102_444_800_000 });

test('the next due time is after now, and at most one cadence away', () => {
  fc.assert(
    fc.property(slug, cadence, now, (name, every, at) => {
      const due = nextDue(name, every, at);
      expect(due).toBeGreaterThan(at);
      expect(due).toBeLessThanOrEqual(at + every);
    }),
  );
});

test('due times form a grid: between two points, and at a point, the next one is due', () => {
  fc.assert(
    fc.property(
      slug,
      cadence,
      now,
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (name, every, at, part) => {
        const due = nextDue(name, every, at);
        expect(nextDue(name, every, due - every + Math.floor(part * every))).toBe(due);
        expect(nextDue(name, every, due)).toBe(due + every);
      },
    ),
  );
});

test('after an outage of many hours one run is due, not one for each hour', () => {
  const due = nextDue('acme', HOUR, 0);
  expect(nextDue('acme', HOUR, due + 6.5 * HOUR)).toBe(due + 7 * HOUR);
});

test('channels spread over the hour', () => {
  const minutes = new Set<number>();
  for (let index = 0; index < 600; index++) {
    minutes.add(Math.floor((nextDue(`customer-${index}`, HOUR, 0) % HOUR) / 60_000));
  }
  expect(minutes.size).toBe(60);
});

test.each([
  ['1s', 1_000],
  ['90s', 90_000],
  ['15m', 900_000],
  ['1h', HOUR],
  ['24h', 24 * HOUR],
])('%s is a cadence of %d ms', (text, ms) => expect(parseCadence(text)).toBe(ms));

test.each(['', '0s', '25h', '1d', '1.5h', '-1h', ' 1h', '1h ', '1H', 'h', '3600', '90000s'])(
  '%j is not a cadence',
  (text) => expect(parseCadence(text)).toBeUndefined(),
);

test('a cadence is shown in its largest whole unit', () => {
  expect([HOUR, 900_000, 90_000, 1_500].map(formatCadence)).toEqual(['1h', '15m', '90s', '1500ms']);
});

test('a channel keeps its place in the grid from one version to the next', () => {
  // The published FNV-1a hashes of these texts.
  expect(nextDue('a', 2 ** 32, 0)).toBe(0xe40c292c);
  expect(nextDue('foobar', 2 ** 32, 0)).toBe(0xbf9cf968);
});
