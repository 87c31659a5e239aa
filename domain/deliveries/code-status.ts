/**
 * The outcome of a request for a code. `withheld`: no account lists the phone, and too many codes were requested for
 * such phones. `guarded`: a code was made longer, or a short one not compared, as too many wrong ones were entered.
 */
type AskedStatus = 'sent' | 'guarded' | 'failed' | 'limited' | 'withheld' | 'impossible';

/**
 * The outcome of an entered code. `over`: it has expired; `barred`: after too many attempts it was not compared;
 * `replaced`: it was the code of an earlier text.
 */
type EnteredStatus = 'right' | 'wrong' | 'over' | 'replaced' | 'barred';

export type CodeStatus = AskedStatus | EnteredStatus;

// Limits per hour and channel. A customer that writes to all its farmers at once causes hundreds of codes.
const MOST: { of: CodeStatus[]; most: number; say: string }[] = [
  {
    of: ['guarded'],
    most: 0,
    say: 'codes of six digits were held back or made eight, after too many wrong ones,',
  },
  { of: ['wrong', 'barred'], most: 100, say: 'wrong codes were entered' },
  { of: ['limited', 'withheld', 'impossible'], most: 200, say: 'codes were asked for and not sent' },
  { of: ['sent'], most: 2_000, say: 'codes were sent' },
];

/** The counts of an hour that are over their limits, worst first: "250 wrong codes were entered within an hour". */
export function tooManyCodes(counts: Partial<Record<CodeStatus, number>>): string[] {
  return MOST.flatMap(({ of, most, say }) => {
    const count = of.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
    return count > most ? `${count} ${say} within an hour` : [];
  });
}
