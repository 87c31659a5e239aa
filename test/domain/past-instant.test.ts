import { readPastInstant } from '../../domain/time/past-instant';

const NOW = Date.parse('2026-11-21T08:00:00Z');

test.each([
  ['2016-01-01T00:00:00Z', '2016-01-01T00:00:00.000Z'],
  ['2026-11-21T08:05:00Z', '2026-11-21T08:05:00.000Z'],
])('%s is taken', (text, instant) => expect(readPastInstant(text, NOW)).toEqual(new Date(instant)));

test.each<[unknown, string]>([
  ['2015-12-31T23:59:59.999Z', 'must not be before 2016-01-01T00:00:00Z'],
  ['2026-11-21T08:05:00.001Z', 'must not be more than 5 minutes ahead'],
  ['2026-11-21', 'must be an RFC 3339 date-time with an offset'],
  [['2026-11-20T00:00:00Z'], 'must be an RFC 3339 date-time with an offset'],
  [NOW, 'must be an RFC 3339 date-time with an offset'],
  [undefined, 'must be an RFC 3339 date-time with an offset'],
])('%j is refused: %s', (text, problem) => expect(readPastInstant(text, NOW)).toBe(problem));
