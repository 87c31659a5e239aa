import type { CodeStatus } from '../domain/code-status';
import { signInCodes } from './instruments';

/** Counts the outcome of a farmer's request for a code, or of an entered code. */
export function countSignInCode(status: CodeStatus): void {
  signInCodes.inc({ status });
}
