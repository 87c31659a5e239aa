import { arithmeticWarnings } from './arithmetic-warnings';
import type { RecordType } from './commands';
import { unknownValues } from './unknown-values';

/** What is suspicious about a record: for the log and `gdx`, never a reason to refuse it. */
export function recordWarnings(type: RecordType, record: Readonly<Record<string, unknown>>): string[] {
  return [...unknownValues(type, record), ...arithmeticWarnings(type, record)];
}
