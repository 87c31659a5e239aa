/** The accounts that a record names, as its customer reads it. */
export function accountsNamed(type: string, record: object): string[] {
  if (type === 'accounts') return [String((record as { id?: unknown }).id)];
  const references = JSON.stringify(record).matchAll(/"account":\{"id":"([^"]+)"/g);
  return [...references].map(([, id]) => id!);
}
