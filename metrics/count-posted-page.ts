import type { PageFailure } from '../domain/classify-answer';
import { attemptDuration, attempts } from './instruments';

/** A page was posted. @param failure why it was not confirmed */
export function countPostedPage(failure: PageFailure | undefined, seconds: number): void {
  attempts.inc({ class: failure ?? 'confirmed' });
  attemptDuration.observe(seconds);
}
