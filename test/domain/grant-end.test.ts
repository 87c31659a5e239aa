import { endDays, grantEndOf, lastDayOf, whyNoEnd } from '../../domain/consent/grant-end';

// An evening in America: in UTC it is the next day, as it is in Kiribati.
const NOW = new Date('2026-11-23T02:30:00Z');
const CHICAGO = endDays(NOW, ['America/Chicago']);

test('a grant ends with its last day in UTC, so nowhere in America after it', () => {
  const end = grantEndOf('2027-10-31')!;
  expect(end).toEqual(new Date('2027-11-01T00:00:00Z'));
  expect(lastDayOf(end)).toBe('2027-10-31');
});

test('from tomorrow to seven years from now, where the farmer lives', () => {
  expect(CHICAGO).toEqual({ today: '2026-11-22', first: '2026-11-23', last: '2033-11-22' });
  expect(endDays(NOW, ['Pacific/Kiritimati']).first).toBe('2026-11-24');
  expect(endDays(new Date('2028-02-29T10:00:00Z'), ['America/Chicago']).last).toBe('2035-03-01');
});

test('of several zones the one with the earliest day counts, and one that nobody knows has none earlier', () => {
  const late = new Date('2026-11-23T04:30:00Z'); // midnight is over in Halifax
  expect(endDays(late, ['America/Halifax', 'America/Denver']).first).toBe('2026-11-23');
  expect(endDays(new Date('2026-11-23T11:59:00Z'), ['America/Halifax', undefined]).first).toBe('2026-11-23');
  expect(endDays(new Date('2026-11-23T12:00:00Z'), []).first).toBe('2026-11-24');
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
])('%j: %s', (day, why) => expect(whyNoEnd(day, CHICAGO)).toBe(why));
