/** What became of a code that was asked for. `withheld`: the phone is in no account, and too many such were asked for. */
type AskedStatus = 'sent' | 'failed' | 'limited' | 'withheld' | 'impossible';

/** What became of a code that was entered. `barred`: too many were, so it was not compared. */
type EnteredStatus = 'right' | 'wrong' | 'over' | 'barred';

export type CodeStatus = AskedStatus | EnteredStatus;
