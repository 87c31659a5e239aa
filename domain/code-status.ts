/** What became of a code that was asked for. `withheld`: the phone is in no account, and too many such were asked for. */
type AskedStatus = 'sent' | 'failed' | 'limited' | 'withheld' | 'impossible';

/** What became of a code that was entered. `barred`: too many were, so it was not compared; `replaced`: it is that of an earlier text. */
type EnteredStatus = 'right' | 'wrong' | 'over' | 'replaced' | 'barred';

export type CodeStatus = AskedStatus | EnteredStatus;

// Per hour and channel. A customer that writes to all its farmers at once has codes sent by the hundred.
const MOST: { of: CodeStatus[]; most: number; say: string }[] = [
  { of: ['wrong', 'barred'], most: 100, say: 'wrong codes were entered' },
  { of: ['limited', 'withheld', 'impossible'], most: 200, say: 'codes were asked for and not sent' },
  { of: ['sent'], most: 2_000, say: 'codes were sent' },
];

/** What is out of measure in an hour's counts, worst first: "250 wrong codes were entered within an hour". */
export function tooManyCodes(counts: Partial<Record<CodeStatus, number>>): string[] {
  return MOST.flatMap(({ of, most, say }) => {
    const count = of.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
    return count > most ? `${count} ${say} within an hour` : [];
  });
}
