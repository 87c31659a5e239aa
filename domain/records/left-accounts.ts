/** The accounts that a record once belonged to and no longer does. There may be a hundred thousand. */
export function leftAccounts(
  now: readonly string[],
  known: { account_ids: readonly string[]; left_account_ids?: readonly string[] } | undefined,
): string[] {
  if (!known) return [];
  const before = new Set([...(known.left_account_ids ?? []), ...known.account_ids]);
  for (const account of now) before.delete(account);
  return [...before];
}
