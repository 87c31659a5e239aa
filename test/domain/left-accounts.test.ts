import { leftAccounts } from '../../domain/records/left-accounts';

test('an account that a record leaves is kept until the record returns to it', () => {
  expect(leftAccounts(['a'], undefined)).toEqual([]);
  expect(leftAccounts(['a'], { account_ids: ['a', 'b'] })).toEqual(['b']);
  expect(leftAccounts(['a', 'b'], { account_ids: ['c'], left_account_ids: ['b', 'd'] })).toEqual(['d', 'c']);
});

test('a record with all other accounts than before holds up nobody', () => {
  const accounts = (of: string) => Array.from({ length: 50_000 }, (_, at) => `42-${of}${at}`);
  const began = performance.now();
  expect(leftAccounts(accounts('now'), { account_ids: accounts('before') })).toHaveLength(50_000);
  expect(performance.now() - began).toBeLessThan(1_000);
});
