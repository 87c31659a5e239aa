import type { CodeStatus } from '../domain/code-status';
import { signInCodes } from './instruments';

/** Counts what became of a farmer's code, or of an attempt to enter one. */
export function countSignInCode(status: CodeStatus): void {
  signInCodes.inc({ status });
}
