import { isCompanyId } from '../../domain/records/company-id';

test('a company id has no dash, or two records could share one stored id', () => {
  expect(['42', 'Prairie_Co.op', 'x'.repeat(64)].every(isCompanyId)).toBe(true);
  expect(['', '42-7', 'a b', 'ü', 'x'.repeat(65), '42\n', '$'].some(isCompanyId)).toBe(false);
});
