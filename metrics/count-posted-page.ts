import type { PageFailure } from '../domain/classify-answer';
import { attemptDuration, attempts } from './instruments';

/** Counts a posted page. @param failure why it was not confirmed; undefined when it was */
export function countPostedPage(failure: PageFailure | undefined, seconds: number): void {
  attempts.inc({ class: failure ?? 'confirmed' });
  attemptDuration.observe(seconds);
}
