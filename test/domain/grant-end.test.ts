import { endDays, grantEndOf, lastDayOf, whyNoEnd } from '../../domain/grant-end';

const NOW = new Date('2026-11-22T23:30:00Z');

test('a grant ends with its last day in UTC, so nowhere in America after it', () => {
  const end = grantEndOf('2027-10-31')!;
  expect(end).toEqual(new Date('2027-11-01T00:00:00Z'));
  expect(lastDayOf(end)).toBe('2027-10-31');
});

test('from tomorrow to seven years from now', () => {
  expect(endDays(NOW)).toEqual({ first: '2026-11-23', last: '2033-11-22' });
  expect(endDays(new Date('2028-02-29T10:00:00Z')).last).toBe('2035-03-01');
});

test.each([
  ['2026-11-23', undefined],
  ['2033-11-22', undefined],
  ['2033-11-23', 'far'],
  ['9999-12-31', 'far'],
  ['2026-11-22', 'past'],
  ['1999-12-31', 'past'],
  ['0001-01-01', 'malformed'],
  ['2027-02-29', 'malformed'],
  ['2027-13-01', 'malformed'],
  ['2027-1-1', 'malformed'],
  ['10/31/2027', 'malformed'],
  ['+02027-01-01', 'malformed'],
  ['', 'malformed'],
  ['2027-10-31T00:00:00Z', 'malformed'],
])('%j: %s', (day, why) => expect(whyNoEnd(day, NOW)).toBe(why));
