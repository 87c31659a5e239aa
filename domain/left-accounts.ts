/** What is stored of a record's accounts. */
interface StoredAccounts {
  account_ids: readonly string[];
  left_account_ids?: readonly string[];
}

/** The accounts that a record was corrected away from and has not returned to. There may be a hundred thousand of them. */
export function leftAccounts(now: readonly string[], known: StoredAccounts | undefined): string[] {
  if (!known) return [];
  const before = new Set([...(known.left_account_ids ?? []), ...known.account_ids]);
  for (const account of now) before.delete(account);
  return [...before];
}
