import { atLeast, count, describeResent } from '../../domain/records/count';

test('an amount with its noun in the right number', () => {
  expect(count(1, 'record')).toBe('1 record');
  expect(count(0, 'record')).toBe('0 records');
  expect(count(12_304, 'delivery', 'deliveries')).toBe('12,304 deliveries');
});

test('"at least" only where counting was cut off', () => {
  expect([atLeast('5 records'), atLeast('5 records', true)]).toEqual(['5 records', 'at least 5 records']);
});

test('what a reset sends again', () => {
  expect(describeResent('tickets', { records: 12_304, pages: 13 })).toBe('12,304 tickets, about 13 pages');
  expect(describeResent('accounts', { records: 1, pages: 1 })).toBe('1 account, about 1 page');
  expect(describeResent('tickets', { records: null, pages: null, at_least: 120_000 })).toBe(
    'at least 120,000 tickets',
  );
});
