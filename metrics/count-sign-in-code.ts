import { signInCodes } from './instruments';

export type CodeStatus = 'sent' | 'sending' | 'failed' | 'limited' | 'right' | 'wrong' | 'over';

/** What became of a farmer's code, or of a try at it. */
export function countSignInCode(status: CodeStatus): void {
  signInCodes.inc({ status });
}
