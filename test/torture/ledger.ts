/**
 * One push as its ERP recorded it. Times are nanoseconds of the machine's monotonic clock, the same in all processes.
 */
export interface LedgerEntry {
  /** The content of all its records. */
  note: string;
  /** `<entity type> <id>` */
  records: string[];
  began: string;
  answered: string;
}

/**
 * The records whose content cannot be the last one: another version of them was begun after this one had been
 * acknowledged, or nobody ever acknowledged it.
 */
export function impossible(ledger: LedgerEntry[], stored: Map<string, string>): string[] {
  const versions = new Map<string, LedgerEntry[]>();
  for (const entry of ledger) {
    for (const record of entry.records) versions.set(record, [...(versions.get(record) ?? []), entry]);
  }
  return [...new Set([...versions.keys(), ...stored.keys()])].filter((record) => {
    const all = versions.get(record) ?? [];
    const winner = all.find(({ note }) => note === stored.get(record));
    return !winner || all.some(({ began }) => BigInt(began) > BigInt(winner.answered));
  });
}

/**
 * Records that arrived after one whose push was begun only when theirs had been acknowledged. For records of one entity
 * type that are each pushed once, in the order in which they arrived.
 */
export function outOfTurn(ledger: LedgerEntry[], arrived: string[]): string[] {
  const pushes = new Map(ledger.flatMap((entry) => entry.records.map((record) => [record, entry] as const)));
  let latest = 0n;
  return [...new Set(arrived)].filter((record) => {
    const { began, answered } = pushes.get(record)!;
    if (BigInt(began) > latest) latest = BigInt(began);
    return BigInt(answered) < latest;
  });
}
