import { yearsSince } from '../../domain/consent/grant-end';

test.each([
  ['2024-11-23T12:00:00Z', '2026-11-23T12:00:00Z', 2],
  ['2024-11-23T12:00:00Z', '2026-11-23T11:59:59Z', 1],
  ['2024-11-23T12:00:00Z', '2026-12-31T00:00:00Z', 2],
  ['2024-11-23T12:00:00Z', '2027-01-01T00:00:00Z', 2],
  ['2026-11-23T12:00:00Z', '2026-11-23T12:00:00Z', 0],
  ['2026-11-23T12:00:00Z', '2026-11-23T11:59:59Z', -1],
  // The day after 28 February, where there is no 29 February.
  ['2024-02-29T00:00:00Z', '2025-02-28T23:59:59Z', 0],
  ['2024-02-29T00:00:00Z', '2025-03-01T00:00:00Z', 1],
])('from %s to %s: %d', (from, now, years) => expect(yearsSince(new Date(from), new Date(now))).toBe(years));
